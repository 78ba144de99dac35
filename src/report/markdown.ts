import { printable, say } from '../core/index.ts';
import type { Phrase, Summary, Sweep } from '../core/index.ts';
import { countColumns } from './count-columns.ts';
import { digitsFor, secondsOf } from './figure-text.ts';
import { simulationOf } from './finding-text.ts';
import { asSweep, pointName, sweepName } from './point-name.ts';
import { isComparison } from './reported.ts';
import type { Reporter, ReportOptions } from './reported.ts';
import { pointNotes } from './sweep-text.ts';
import { words } from './words.ts';

interface Row {
  name: Phrase | string;
  of(point: Summary): string | null;
}

const rows: readonly Row[] = [
  { name: words.timeTaken, of: (p) => digitsFor(p, 'durationMs', secondsOf(p.durationMs), 3) },
  { name: words.qps, of: (p) => digitsFor(p, 'requestsPerSec', p.requestsPerSec, 3) },
  { name: words.averageLatency, of: (p) => digitsFor(p, 'latencyMs.mean', secondsOf(p.latencyMs?.mean), 3) },
  { name: words.throughput, of: (p) => digitsFor(p, 'outputTokensPerSec', p.outputTokensPerSec, 3) },
  { name: 'p50', of: (p) => digitsFor(p, 'latencyMs.p50', secondsOf(p.latencyMs?.p50), 4) },
  { name: 'p90', of: (p) => digitsFor(p, 'latencyMs.p90', secondsOf(p.latencyMs?.p90), 4) },
  { name: words.ttftMean, of: (p) => digitsFor(p, 'ttftMs.mean', p.ttftMs?.mean, 2) },
  { name: words.ttftP99, of: (p) => digitsFor(p, 'ttftMs.p99', p.ttftMs?.p99, 2) },
  { name: words.tpotMean, of: (p) => digitsFor(p, 'tpotMs.mean', p.tpotMs?.mean, 2) },
  { name: words.tpotP99, of: (p) => digitsFor(p, 'tpotMs.p99', p.tpotMs?.p99, 2) },
  { name: words.itlMean, of: (p) => digitsFor(p, 'itlMs.mean', p.itlMs?.mean, 2) },
  { name: words.itlP99, of: (p) => digitsFor(p, 'itlMs.p99', p.itlMs?.p99, 2) },
];

/** The rows of counts; the first is called what published tables call it. */
function countRows(points: readonly Summary[]): Row[] {
  return countColumns(points).map(({ name, of }, i) => ({
    name: i === 0 ? words.failures : name,
    of: (point) => of(point)?.toFixed(0) ?? null,
  }));
}

/** A sweep as a markdown table with a column per point, in seconds; imported points keep the digits of their source. */
export const markdown: Reporter = (what, options) => {
  if (isComparison(what)) {
    return what.map((sweep) => `### ${escaped(sweepName(sweep))}\n\n${sweepTable(sweep, options)}`).join('\n');
  }
  return sweepTable(what.schema === 'llmdyno.sweep/1' ? what : asSweep(what), options);
};

function sweepTable(sweep: Sweep, { lang }: ReportOptions): string {
  const head = [say(words.perMetric, lang), ...sweep.points.map((point) => pointName(sweep, point))];
  const body = [...rows, ...countRows(sweep.points)].flatMap((row) => {
    const cells = sweep.points.map((point) => row.of(point));
    return cells.every((cell) => cell === null) ? [] : [[say(row.name, lang), ...cells.map((cell) => cell ?? '-')]];
  });
  const notes = pointNotes(sweep, (point) => notesOf(point, lang)).map((note) => `- ${escaped(note)}`);
  return `${[markdownTable(head, body), ...(notes.length > 0 ? ['', ...notes] : [])].join('\n')}\n`;
}

/** A table of strangers' words. */
export function markdownTable(head: readonly string[], body: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.map(escaped).join(' | ')} |`).join('\n');
}

function notesOf(point: Summary, lang: ReportOptions['lang']): string[] {
  const simulated = simulationOf(point);
  const invalid = point.verdict.findings.filter((finding) => finding.severity === 'invalid');
  return [
    ...(simulated === null ? [] : [say(simulated, lang)]),
    ...(point.partial ? [say(words.partial, lang)] : []),
    ...(point.verdict.valid ? [] : [say(words.notValid, lang)]),
    ...invalid.map((finding) => (lang === 'zh' ? finding.zh.message : finding.message)),
  ];
}

/** Text of a stranger for one cell: one line, no column breaks, no markup and no HTML. */
function escaped(cell: string): string {
  return printable(cell)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[\\`*_[\]|]/g, '\\$&');
}
