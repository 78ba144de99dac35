import { rounded } from '../dialect.ts';
import type { AsMeasured } from '../measured.ts';
import { percentileJson, summaryJson } from './json-files.ts';

/** The closing tables of evalscope 1.x over all points: overview, then figures per request. */
export function overviewTables(points: readonly AsMeasured[]): string {
  const overview = points.map((measured) => {
    const json = summaryJson(measured);
    const share = (json['Success Requests']! / Math.max(1, json['Total Requests']!)) * 100;
    return [
      ...loadOf(measured),
      String(json['Total Requests']),
      rounded(json['Req Throughput (req/s)']!, 2),
      rounded(json['Output Throughput (tok/s)']!, 2),
      `${rounded(share, 1)}%`,
    ];
  });
  return (
    `\n${boxed('Performance Overview', ['Conc.', 'Rate', 'Num', 'RPS', 'Gen/s', 'Success'], overview)}` +
    `\n\n${boxed('Per-Request Metrics', ['Conc.', 'Rate', 'Metric', 'avg', 'p50', 'p99', 'max'], points.flatMap(requestRows))}`
  );
}

function requestRows(measured: AsMeasured): string[][] {
  const json = summaryJson(measured);
  const rows = percentileJson(measured);
  const at = (name: string, column: string): number | null => {
    const value = rows.find((row) => row['Percentiles'] === name)?.[column];
    return typeof value === 'number' ? value : null;
  };
  const row = (metric: string, average: number, column: string, decimals: number): string[] => [
    metric,
    rounded(average, decimals),
    ...['50%', '99%', 'max'].map((name) => {
      const value = at(name, column);
      return value === null ? '-' : rounded(value, decimals);
    }),
  ];
  const tpot = json['Avg TPOT (ms)']!;
  const lines = [
    row('Latency (s)', json['Avg Latency (s)']!, 'Latency (s)', 3),
    row('TTFT (ms)', json['Avg TTFT (ms)']!, 'TTFT (ms)', 2),
    row('TPOT (ms)', tpot, 'TPOT (ms)', 2),
    row('Input Tokens', json['Avg Input Tokens']!, 'Input tokens', 0),
    row('Output Tokens', json['Avg Output Tokens']!, 'Output tokens', 0),
    ['Decode toks/s', tpot === 0 ? '-' : rounded(1000 / tpot, 2), '-', '-', '-'],
  ];
  return lines.map((line, i) => [...(i === 0 ? loadOf(measured) : ['', '']), ...line]);
}

function loadOf({ plan }: AsMeasured): [string, string] {
  const { concurrency, ratePerSec } = plan.load;
  return [concurrency === null ? 'INF' : String(concurrency), ratePerSec === null ? '-' : rounded(ratePerSec, 2)];
}

/** A table as rich draws it: heavy head, light rows, no blank at the outer edges; words to the left, figures to the right. */
function boxed(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, i) => Math.max(...[head, ...rows].map((row) => row[i]!.length)));
  const cell = (text: string, i: number): string =>
    head[i] === 'Metric' ? text.padEnd(widths[i]!) : text.padStart(widths[i]!);
  const line = (row: readonly string[], edge: string): string => `${edge}${row.map(cell).join(` ${edge} `)}${edge}`;
  const last = widths.length - 1;
  const rule = (fill: string, left: string, middle: string, right: string): string =>
    left + widths.map((width, i) => fill.repeat(width + (i === 0 || i === last ? 1 : 2))).join(middle) + right;
  const top = rule('━', '┏', '┳', '┓');
  const indent = ' '.repeat(Math.max(0, Math.floor((top.length - title.length) / 2)));
  const body = rows.map((row) => line(row, '│'));
  return `${[indent + title, top, line(head, '┃'), rule('━', '┡', '╇', '┩'), ...body, rule('─', '└', '┴', '┘')].join('\n')}\n`;
}
