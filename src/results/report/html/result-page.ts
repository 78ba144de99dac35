import type { Comparison, MachineOf } from '../../measure/index.ts';
import { comparisonHtml } from '../comparison-report.ts';
import { efficiencyHtml } from '../efficiency-table.ts';
import { frontierHtml } from '../frontier-table.ts';
import { sweepName } from '../point-name.ts';
import { compareInWords } from '../sentence/compare.ts';
import { workersHtml, workersTitle } from '../worker-table.ts';
import { htmlReport } from './html-report.ts';
import type { HtmlParts } from './html-report.ts';

/** What a page of results is made of. */
export interface ResultPage extends Pick<HtmlParts, 'sweeps' | 'figures' | 'environment' | 'lang' | 'script'> {
  comparison: Comparison | null;
  machineOf: MachineOf;
  /** What was typed for each result, where that is known. */
  commands: readonly string[];
  plans: readonly unknown[];
  /** The version of llmdyno that makes the page. */
  version: string;
}

/** The page of one result, or of several side by side, with every section that their summaries allow. */
export function resultPage({ comparison, machineOf, commands, plans, version, ...parts }: ResultPage): string {
  const { sweeps } = parts;
  const startedAt = sweeps[0]?.points[0]?.startedAt;
  const sections = [
    {
      id: 'comparison',
      title: { en: 'Comparison', zh: '对比' },
      body: comparison && comparisonHtml(comparison),
    },
    { id: 'workers', title: workersTitle, body: workersHtml(sweeps) },
    {
      id: 'frontier',
      title: { en: 'Throughput at a speed per user', zh: '按单用户速度的吞吐量' },
      body: frontierHtml(sweeps, machineOf),
    },
    { id: 'cost', title: { en: 'Cost and efficiency', zh: '成本与效率' }, body: efficiencyHtml(sweeps, machineOf) },
  ];
  return htmlReport({
    ...parts,
    title: sweeps.map(sweepName).join(' vs '),
    ...(comparison !== null && { answers: compareInWords(comparison).map(({ says }) => says), comparison }),
    more: sections.flatMap(({ body, ...section }) => (body === null ? [] : [{ ...section, body }])),
    repeat: {
      command: commands.length > 0 ? commands.join('; ') : null,
      plan: plans.length > 1 ? plans : (plans[0] ?? null),
    },
    by: `llmdyno ${version}${startedAt ? ` · ${startedAt}` : ''}`,
  });
}
