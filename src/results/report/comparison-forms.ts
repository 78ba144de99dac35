import { printable } from '../../core/index.ts';
import type { Sweep } from '../../core/index.ts';
import type { Comparison } from '../measure/index.ts';
import { comparisonMarkdown, comparisonReportText } from './comparison-report.ts';
import { csvOf } from './csv.ts';
import { junitOf } from './junit.ts';
import type { Case } from './junit.ts';
import { frontierDocument } from './frontier-curves.ts';
import { frontierMarkdown, frontierText } from './frontier-table.ts';
import type { ReportOptions } from './reported.ts';
import { changeVerdict, compareInWords } from './sentence/compare.ts';
import { gateWords } from './sentence/gate.ts';
import { promiseWords } from './sentence/promise.ts';

/** A comparison in a form that is text; every other word gives the text that people read. */
export function comparisonIn(
  form: string,
  comparison: Comparison,
  sweeps: readonly Sweep[],
  options: ReportOptions,
): string {
  const { machineOf } = options;
  if (form === 'json') {
    const frontier = frontierDocument(sweeps, machineOf);
    return `${JSON.stringify(frontier.length === 0 ? comparison : { ...comparison, frontier }, null, 2)}\n`;
  }
  if (form === 'markdown')
    return comparisonMarkdown(comparison, options, sweeps) + frontierMarkdown(sweeps, machineOf, options);
  if (form === 'csv') return comparisonCsv(comparison);
  if (form === 'junit') return comparisonJunit(comparison);
  return comparisonReportText(comparison, options) + frontierText(sweeps, machineOf, options);
}

/** A comparison as a table for programs: a row per metric, point and candidate; unknown is an empty cell. */
function comparisonCsv(comparison: Comparison): string {
  return csvOf(
    comparison.metrics.flatMap((row) =>
      row.changes.map((change, i) => ({
        point: row.place ?? row.load,
        metric: row.metric,
        baseline: comparison.names[0] ?? null,
        baselineValue: row.values[0] ?? null,
        candidate: comparison.names[i + 1] ?? null,
        candidateValue: row.values[i + 1] ?? null,
        changeRatio: change.changeRatio,
        intervalFrom: change.interval?.[0] ?? null,
        intervalTo: change.interval?.[1] ?? null,
        comparable: row.comparable,
        verdict: changeVerdict(row, change),
      })),
    ),
  );
}

/** A comparison as JUnit XML: a case for whether it may be compared at all, and one for each gate and promise; what is not sure is skipped. */
function comparisonJunit(comparison: Comparison): string {
  const name = comparison.names.map(printable).join(' vs ');
  const shared = { className: name, seconds: 0 };
  const at = (place: string | undefined, load: number | null): string =>
    place !== undefined ? ` at ${place}` : load === null ? '' : ` at ${load}`;
  const nameOf = (run: string): string => comparison.names[comparison.runs.indexOf(run)] ?? run;
  const cases: Case[] = [
    {
      ...shared,
      name: 'comparable',
      failure: comparison.comparable
        ? null
        : {
            type: 'not-comparable',
            message: compareInWords(comparison)
              .map(({ says }) => says.en)
              .join(' '),
          },
      skipped: null,
    },
    ...comparison.gates.map((gate) => ({
      ...shared,
      name: `${nameOf(gate.run)}: ${gate.text}${at(gate.place, gate.load)}`,
      failure: gate.failed ? { type: 'fail-if', message: gateWords(gate).en } : null,
      skipped: gate.failed || gate.state === 'passed' ? null : gateWords(gate).en,
    })),
    ...(comparison.promises ?? []).map((one) => ({
      ...shared,
      name: `${nameOf(one.run)}: ${one.promise}${at(one.place, one.load)}`,
      failure: one.kept === false ? { type: 'slo', message: promiseWords(one).line.en } : null,
      skipped: one.kept === null ? 'not known' : null,
    })),
  ];
  return junitOf([{ name, properties: [], cases }]);
}
