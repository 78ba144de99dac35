import { printable } from '../core/index.ts';
import type { Distribution, Summary } from '../core/index.ts';
import { boxedTable } from './boxed-table.ts';
import { dialectNotes } from './dialect.ts';
import { countOf, secondsOf } from './figure-text.ts';
import { pointsOf } from './reported.ts';
import type { Reporter } from './reported.ts';

/**
 * The two tables of MindIE Benchmark (performance, then common metrics), one pair per point. `DecodeTime` is our pooled
 * time between tokens, except its SLO_P90, which there is the p90 of each request's own mean (our TPOT p90); a figure
 * that is not known is `/`, as that tool writes it. Throughput counts ok requests.
 */
export const mindie: Reporter = (what) => pointsOf(what).map(tables).join('\n');

const columns = ['max', 'min', 'p75', 'p90'] as const;

function tables(summary: Summary): string {
  const n = String(summary.latencyMs?.n ?? countOf(summary.counts, 'ok') ?? '/');
  const row = (name: string, dist: Distribution | null, unit: string, sloP90?: number | null): string[] => {
    const cell = (value: number | null | undefined): string =>
      typeof value === 'number' ? `${digits(value)}${unit}` : '/';
    return [
      name,
      cell(dist?.mean),
      ...columns.map((key) => cell(dist?.[key])),
      cell(sloP90 === undefined ? dist?.p90 : sloP90),
      cell(dist?.p99),
      n,
    ];
  };
  const performance = [
    row('FirstTokenTime', summary.ttftMs, ' ms'),
    row('DecodeTime', summary.itlMs, ' ms', summary.tpotMs?.p90 ?? null),
    row('GenerateTime', summary.latencyMs, ' ms'),
    row('InputTokens', summary.inputTokens, ''),
    row('GeneratedTokens', summary.outputTokens, ''),
    row('GeneratedTokenSpeed', summary.userTokensPerSec, ' token/s'),
  ].filter((cells) => cells[1] !== '/');
  return [
    ...dialectNotes(summary),
    'The BenchMark test performance metric result is:',
    ...boxedTable(['Metric', 'average', 'max', 'min', 'P75', 'P90', 'SLO_P90', 'P99', 'N'], performance),
    'The BenchMark test common metric result is:',
    ...boxedTable(['Common Metric', 'Value'], common(summary)),
    '',
  ].join('\n');
}

function common(summary: Summary): string[][] {
  const { counts, load } = summary;
  const [ok, failed, planned] = [countOf(counts, 'ok'), countOf(counts, 'failed'), countOf(counts, 'planned')];
  const share = (value: number | null): string | null =>
    value === null
      ? null
      : planned === null || planned === 0
        ? String(value)
        : `${value}( ${((value / planned) * 100).toFixed(1)}% )`;
  const rate = (value: number | null, unit: string): string | null =>
    value === null ? null : `${digits(value)} ${unit}`;
  const perClient =
    summary.outputTokensPerSec === null || !load.concurrency ? null : summary.outputTokensPerSec / load.concurrency;
  const lpct =
    summary.ttftMs?.mean == null || !summary.inputTokens?.mean ? null : summary.ttftMs.mean / summary.inputTokens.mean;
  const rows: [string, string | null][] = [
    ['TimeElapsed', rate(secondsOf(summary.durationMs), 's')],
    ['Failed', share(failed)],
    ['Returned', share(ok)],
    ['Total', planned === null ? null : `${planned}[ 100.0% ]`],
    ['Concurrency', load.concurrency === null ? null : String(load.concurrency)],
    ['ModelName', summary.model === null ? null : printable(summary.model).replaceAll('|', '/')],
    ['lpct', rate(lpct, 'ms')],
    ['Throughput', rate(summary.requestsPerSec, 'req/s')],
    ['GenerateSpeed', rate(summary.outputTokensPerSec, 'token/s')],
    ['GenerateSpeedPerClient', rate(perClient, 'token/s')],
    ['accuracy', summary.accuracy === undefined ? '/' : `${digits(summary.accuracy.ratio * 100)}%`],
  ];
  return rows.filter((row): row is [string, string] => row[1] !== null);
}

/** At most four decimals, as that tool rounds. */
function digits(value: number): string {
  return String(Number(value.toFixed(4)));
}
