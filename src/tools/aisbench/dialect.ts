import type { Distribution, Summary } from '../../core/index.ts';
import { dialectNotes, givenBack, rounded, totalTokens } from '../dialect.ts';
import { countOf, pointsOf } from '../../results/report/index.ts';
import type { Reporter } from '../../results/report/index.ts';

/** AISBench's two boxed tables, one pair per point; Concurrency is what was reached, Max Concurrency what was asked. */
export const aisbench: Reporter = (what) => pointsOf(what).map(givenBack('aisbench', tables)).join('\n');

const statistics = ['mean', 'min', 'max', 'p50', 'p75', 'p90', 'p99'] as const;

function tables(summary: Summary): string {
  const row = (name: string, dist: Distribution | null, unit: string): string[] => [
    name,
    'total',
    ...statistics.map((key) => (typeof dist?.[key] === 'number' ? `${rounded(dist[key])}${unit}` : '-')),
    String(dist?.n ?? '-'),
  ];
  const performance = [
    row('E2EL', summary.latencyMs, ' ms'),
    row('TTFT', summary.ttftMs, ' ms'),
    row('TPOT', summary.tpotMs, ' ms'),
    row('ITL', summary.itlMs, ' ms'),
    row('InputTokens', summary.inputTokens, ''),
    row('OutputTokens', summary.outputTokens, ''),
    row('OutputTokenThroughput', summary.userTokensPerSec, ' token/s'),
  ].filter((cells) => cells[2] !== '-');
  const head = ['Performance Parameters', 'Stage', 'Average', 'Min', 'Max', 'Median', 'P75', 'P90', 'P99', 'N'];
  return [
    ...dialectNotes(summary),
    ...fancyGrid(head, performance),
    '',
    ...fancyGrid(['Common Metric', 'Stage', 'Value'], common(summary)),
    '',
  ].join('\n');
}

function common(summary: Summary): string[][] {
  const whole = (value: number | null): string | null => (value === null ? null : String(Math.round(value)));
  const rate = (value: number | null, unit: string): string | null =>
    value === null ? null : `${rounded(value)} ${unit}`;
  const rows: [string, string | null][] = [
    ['Benchmark Duration', rate(summary.durationMs, 'ms')],
    ['Total Requests', whole(countOf(summary.counts, 'planned'))],
    ['Failed Requests', whole(countOf(summary.counts, 'failed'))],
    ['Success Requests', whole(countOf(summary.counts, 'ok'))],
    ['Concurrency', summary.concurrencyAchieved === null ? null : rounded(summary.concurrencyAchieved)],
    ['Max Concurrency', whole(summary.load.concurrency)],
    ['Request Throughput', rate(summary.requestsPerSec, 'req/s')],
    ['Total Input Tokens', whole(totalTokens(summary, 'input'))],
    ['Total Generated Tokens', whole(totalTokens(summary, 'output'))],
    ['Input Token Throughput', rate(summary.inputTokensPerSec, 'token/s')],
    ['Output Token Throughput', rate(summary.outputTokensPerSec, 'token/s')],
    ['Total Token Throughput', rate(summary.totalTokensPerSec, 'token/s')],
  ];
  return rows.flatMap(([name, value]) => (value === null ? [] : [[name, 'total', value]]));
}

/** The box of tabulate's fancy_grid, which that tool prints. */
function fancyGrid(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]!.length)));
  const rule = (left: string, fill: string, middle: string, right: string): string =>
    left + widths.map((width) => fill.repeat(width + 2)).join(middle) + right;
  const line = (row: readonly string[]): string =>
    `│${row.map((cell, i) => ` ${cell.padEnd(widths[i]!)} `).join('│')}│`;
  const body = rows.flatMap((row, i) => (i === 0 ? [line(row)] : [rule('├', '─', '┼', '┤'), line(row)]));
  return [rule('╒', '═', '╤', '╕'), line(head), rule('╞', '═', '╪', '╡'), ...body, rule('╘', '═', '╧', '╛')];
}
