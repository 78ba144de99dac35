import { means } from '../reading/fact-key.ts';
import type { CsvFormat } from '../reading/file-format.ts';
import { PointDraft } from '../reading/point-draft.ts';
import type { DistributionName, FactKey, StatisticName } from '../reading/fact-key.ts';
import { raggedRow } from '../reading/imported.ts';
import type { Complain } from '../reading/imported.ts';
import { settleGuidellm } from './meaning.ts';

/** A CSV cell lists min, p0.1, p1, p5, p10, p25, p75, p90, p95, p99, max; null = one a summary does not carry. */
const listed: readonly (StatisticName | null)[] = [
  'min',
  null,
  null,
  null,
  null,
  null,
  'p75',
  'p90',
  'p95',
  'p99',
  'max',
];

const single: Record<string, { key: FactKey; scale: number }> = {
  'Timings/Duration/Sec': { key: 'durationMs', scale: 1000 },
  'Request Counts/Successful/': { key: 'counts.ok', scale: 1 },
  'Request Counts/Errored/': { key: 'counts.failed', scale: 1 },
  'Request Counts/Incomplete/': { key: 'counts.cancelled', scale: 1 },
  'Request Counts/Total/': { key: 'counts.planned', scale: 1 },
  'Server Throughput/Successful Requests/Sec/Mean': { key: 'requestsPerSec', scale: 1 },
  'Server Throughput/Successful Concurrency/Mean': { key: 'concurrencyAchieved', scale: 1 },
  'Token Throughput/Successful Input Tokens/Sec/Mean': { key: 'inputTokensPerSec', scale: 1 },
  'Token Throughput/Successful Output Tokens/Sec/Mean': { key: 'outputTokensPerSec', scale: 1 },
  'Token Throughput/Successful Total Tokens/Sec/Mean': { key: 'totalTokensPerSec', scale: 1 },
};

const spread: Record<string, { name: DistributionName; scale: number }> = {
  'Request Latency/Successful Sec': { name: 'latencyMs', scale: 1000 },
  'Time to First Token/Successful ms': { name: 'ttftMs', scale: 1 },
  'Inter Token Latency/Successful ms': { name: 'tpotMs', scale: 1 },
  'Token Metrics/Successful Input Tokens': { name: 'inputTokens', scale: 1 },
  'Token Metrics/Successful Output Tokens': { name: 'outputTokens', scale: 1 },
};

/** guidellm's CSV report: three header rows (group, metric, statistic), one row per benchmark. */
export const guidellmCsv: CsvFormat = {
  tool: 'guidellm',
  matches: (rows) =>
    rows.length > 3 &&
    rows[0]!.cells.includes('Request Counts') &&
    rows[1]!.cells.includes('Successful') &&
    rows[0]!.cells.length === rows[2]!.cells.length,
  read(rows, complain) {
    const [groups, names, statistics] = [rows[0]!.cells, rows[1]!.cells, rows[2]!.cells];
    return rows.slice(3).flatMap((row) => {
      if (row.cells.length !== groups.length) {
        complain(row.line, raggedRow.leftOut);
        return [];
      }
      const draft = new PointDraft('guidellm', row.line);
      groups.forEach((group, i) =>
        takeCell(draft, `${group}/${names[i]}`, statistics[i]!, row.cells[i]!, row.line, complain),
      );
      const strategy = /^([a-z_]+)(?:@([\d.]+))?$/.exec(row.cells[names.indexOf('Strategy')] ?? '');
      settleGuidellm(draft, strategy?.[1] ?? '', strategy?.[2] === undefined ? null : Number(strategy[2]));
      return [draft];
    });
  },
};

function takeCell(
  draft: PointDraft,
  path: string,
  statistic: string,
  text: string,
  line: number,
  complain: Complain,
): void {
  const alone = `${path}/${statistic}`;
  if (Object.hasOwn(single, alone)) draft.putText(single[alone]!, text, line, complain);
  if (!Object.hasOwn(spread, path)) return;
  const { name, scale } = spread[path]!;
  if (statistic === 'Mean') draft.putText(means(`${name}.mean`, scale), text, line, complain);
  if (statistic === 'Median') draft.putText(means(`${name}.p50`, scale), text, line, complain);
  if (statistic !== 'Percentiles') return;
  text
    .replaceAll(/[[\]]/g, '')
    .split(',')
    .forEach((value, i) => {
      const at = listed[i];
      if (at !== null && at !== undefined) draft.putText(means(`${name}.${at}`, scale), value, line, complain);
    });
}
