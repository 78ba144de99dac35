import { say, quotedFigures } from '../../core/index.ts';
import type { Phrase, Sweep } from '../../core/index.ts';
import { efficiencyOf } from '../measure/index.ts';
import type { MachineOf } from '../measure/index.ts';
import { sized } from './figure-text.ts';
import { both, markup, table, text } from './html/both.ts';
import type { Html } from './html/both.ts';
import { pointName, sweepName } from './point-name.ts';
import type { ReportOptions } from './reported.ts';
import { tableText } from './table.ts';

const columns = [
  ['pricePerMillionOutputTokens', { en: 'price / 1M output tokens', zh: '每百万输出 token 成本' }],
  ['pricePerMillionTokens', { en: 'price / 1M tokens', zh: '每百万 token 成本' }],
  ['outputTokensPerSecPerCard', { en: 'output tokens/s per card', zh: '单卡输出 tok/s' }],
  ['outputTokensPerJoule', { en: 'output tokens per joule', zh: '每焦耳输出 token' }],
] as const satisfies readonly (readonly [string, Phrase])[];

/** A row per point: its name and what is known of its efficiency; columns that nobody knows are left out. */
function cells(sweeps: readonly Sweep[], machineOf: MachineOf): { heads: Phrase[]; rows: string[][] } {
  const points = sweeps.flatMap((sweep) =>
    sweep.points.map((point) => ({
      name: sweeps.length > 1 ? `${sweepName(sweep)} ${pointName(sweep, point)}` : pointName(sweep, point),
      value: efficiencyOf(quotedFigures(point), machineOf(point)),
    })),
  );
  const shown = columns.filter(([key]) => points.some(({ value }) => value[key] !== null));
  return {
    heads: shown.map(([, head]) => head),
    rows: points.map(({ name, value }) => [name, ...shown.map(([key]) => sized(value[key]))]),
  };
}

const load = { en: 'load', zh: '负载' };

/** Cost and efficiency for a terminal; empty where nothing is known. */
export function efficiencyText(sweeps: readonly Sweep[], machineOf: MachineOf, options: ReportOptions): string {
  const { heads, rows } = cells(sweeps, machineOf);
  if (heads.length === 0) return '';
  const head = [load, ...heads].map((phrase) => say(phrase, options.lang));
  return `${tableText(head, rows, options.columns)}\n`;
}

/** The same as a section of a page; null where nothing is known. */
export function efficiencyHtml(sweeps: readonly Sweep[], machineOf: MachineOf): Html | null {
  const { heads, rows } = cells(sweeps, machineOf);
  if (heads.length === 0) return null;
  return markup`${table(
    { en: 'Cost and efficiency', zh: '成本与效率' },
    [both(load), ...heads.map(both)],
    rows.map((row) => row.map(text)),
  )}`;
}
