import { printable } from '../../core/index.ts';
import type { DistributionName, Summary } from '../../core/index.ts';
import { boxedTable, countOf, pointsOf, secondsOf } from '../../results/report/index.ts';
import { dialectNotes, givenBack, rounded } from '../dialect.ts';
import type { Reporter } from '../../results/report/index.ts';
import { mindieMetrics } from './meaning.ts';
import { mindieColumns } from './tables.ts';

/**
 * The two tables of MindIE Benchmark (performance, then common metrics), one pair per point. `DecodeTime` is our pooled
 * time between tokens, except its SLO_P90, which there is the p90 of each request's own mean (our TPOT p90); a figure
 * that is not known is `/`, as that tool writes it. Throughput counts ok requests.
 */
export const mindie: Reporter = (what) => pointsOf(what).map(givenBack('mindie', tables)).join('\n');

const statistics = ['mean', 'max', 'min', 'p75', 'p90', 'slo', 'p99'] as const;
type Statistic = (typeof statistics)[number];

function tables(summary: Summary): string {
  const n = String(summary.latencyMs?.n ?? countOf(summary.counts, 'ok') ?? '/');
  const performance = mindieMetrics.flatMap(([name, unit, key]) => {
    const cells = statistics.map((statistic) => cell(summary, name, key, statistic));
    if (cells[0] === null) return [];
    return [[name, ...cells.map((shown) => (shown === null ? '/' : shown + unit)), n]];
  });
  return [
    ...dialectNotes(summary),
    'The BenchMark test performance metric result is:',
    ...boxedTable(['Metric', ...mindieColumns], performance),
    'The BenchMark test common metric result is:',
    ...boxedTable(['Common Metric', 'Value'], commonRows(summary)),
    '',
  ].join('\n');
}

/** The digits of a cell, those that the source printed where they say the same; null = not known. */
function cell(summary: Summary, name: string, key: DistributionName | undefined, statistic: Statistic): string | null {
  const own = `server.${name}.${statistic === 'slo' ? 'slo_p90' : statistic}`;
  if (Object.hasOwn(summary.printed, own)) return summary.printed[own]!;
  if (key === undefined) return null;
  const dist = key === 'itlMs' && statistic === 'slo' ? summary.tpotMs : summary[key];
  const rank = statistic === 'slo' ? 'p90' : statistic;
  const value = dist?.[rank];
  if (typeof value !== 'number') return null;
  const printed = summary.printed[`${key}.${rank}`];
  return dist === summary[key] && printed !== undefined && Number(printed) === value ? printed : rounded(value);
}

function commonRows(summary: Summary): string[][] {
  const { counts, load } = summary;
  const [ok, failed, planned] = [countOf(counts, 'ok'), countOf(counts, 'failed'), countOf(counts, 'planned')];
  const share = (value: number | null): string | null =>
    value === null
      ? null
      : planned === null || planned === 0
        ? String(value)
        : `${value}( ${((value / planned) * 100).toFixed(1)}% )`;
  const rate = (value: number | null, unit: string): string | null =>
    value === null ? null : `${rounded(value)} ${unit}`;
  const perClient =
    summary.outputTokensPerSec === null || !load.concurrency ? null : summary.outputTokensPerSec / load.concurrency;
  const lpct =
    summary.ttftMs?.mean == null || !summary.inputTokens?.mean ? null : summary.ttftMs.mean / summary.inputTokens.mean;
  const source = (key: string): string | null => {
    const said = summary.source.tool === 'mindie' ? summary.server?.[key] : null;
    return typeof said === 'string' ? printable(said).replaceAll('|', '/') : null;
  };
  // Newer builds tell all three speeds, and call the one of before by another name.
  const newer = summary.source.tool === 'mindie' && Object.hasOwn(summary.printed, 'totalTokensPerSec');
  const common: [string, string | null][] = [
    ['CurrentTime', source('currentTime')],
    ['TimeElapsed', rate(secondsOf(summary.durationMs), 's')],
    ['DataSource', source('dataSource')],
    ['Failed', share(failed)],
    ['Returned', share(ok)],
    ['Total', planned === null ? null : `${planned}[ 100.0% ]`],
    ['Concurrency', load.concurrency === null ? null : String(load.concurrency)],
    ['ModelName', summary.model === null ? null : printable(summary.model).replaceAll('|', '/')],
    ['lpct', rate(lpct, 'ms')],
    ['Throughput', rate(summary.requestsPerSec, 'req/s')],
    ['InputGenerateSpeed', newer ? rate(summary.inputTokensPerSec, 'token/s') : null],
    [newer ? 'OutputGenerateSpeed' : 'GenerateSpeed', rate(summary.outputTokensPerSec, 'token/s')],
    ['TotalGenerateSpeed', newer ? rate(summary.totalTokensPerSec, 'token/s') : null],
    ['GenerateSpeedPerClient', rate(perClient, 'token/s')],
    ['accuracy', summary.accuracy === undefined ? '/' : `${rounded(summary.accuracy.ratio * 100)}%`],
  ];
  return common.filter((row): row is [string, string] => row[1] !== null);
}
