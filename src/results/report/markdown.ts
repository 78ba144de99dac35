import { isGrid, meanOf, printable, say } from '../../core/index.ts';
import type { Phrase, Summary, Sweep } from '../../core/index.ts';
import { countColumns } from './count-columns.ts';
import { digitsFor, secondsOf } from './figure-text.ts';
import { simulationOf } from './finding-text.ts';
import { asSweep, pointName, sweepName } from './point-name.ts';
import { askedOf, byInput, isFilled } from './grid.ts';
import { isComparison } from './reported.ts';
import { askedInWords } from './sentence/asked.ts';
import { sweepInWords } from './sentence/sweep.ts';
import type { Reporter, ReportOptions } from './reported.ts';
import { pointNotes } from './sweep-text.ts';
import { labels } from './labels.ts';

interface Row {
  name: Phrase | string;
  of(point: Summary): string | null;
}

const rows: readonly Row[] = [
  { name: labels.timeTaken, of: (p) => digitsFor(p, 'durationMs', secondsOf(p.durationMs), 3) },
  { name: labels.qps, of: (p) => digitsFor(p, 'requestsPerSec', p.requestsPerSec, 3) },
  { name: labels.averageLatency, of: (p) => digitsFor(p, 'latencyMs.mean', secondsOf(p.latencyMs?.mean), 3) },
  { name: labels.throughput, of: (p) => digitsFor(p, 'outputTokensPerSec', p.outputTokensPerSec, 3) },
  { name: 'p50', of: (p) => digitsFor(p, 'latencyMs.p50', secondsOf(p.latencyMs?.p50), 4) },
  { name: 'p90', of: (p) => digitsFor(p, 'latencyMs.p90', secondsOf(p.latencyMs?.p90), 4) },
  { name: labels.ttftMean, of: (p) => digitsFor(p, 'ttftMs.mean', p.ttftMs?.mean, 2) },
  { name: labels.ttftP99, of: (p) => digitsFor(p, 'ttftMs.p99', p.ttftMs?.p99, 2) },
  { name: labels.tpotMean, of: (p) => digitsFor(p, 'tpotMs.mean', p.tpotMs?.mean, 2) },
  { name: labels.tpotP99, of: (p) => digitsFor(p, 'tpotMs.p99', p.tpotMs?.p99, 2) },
  { name: labels.itlMean, of: (p) => digitsFor(p, 'itlMs.mean', p.itlMs?.mean, 2) },
  { name: labels.itlP99, of: (p) => digitsFor(p, 'itlMs.p99', p.itlMs?.p99, 2) },
];

/** Of what we measured ourselves no published table says what its rows are called: each has its statistic and its unit. */
const ownRows: readonly Row[] = [
  ...rows.flatMap((row) => (typeof row.name === 'string' ? [] : [{ ...row, name: withUnit(row.name) }])),
  ...(['p50', 'p90', 'p99'] as const).map((key): Row => ({
    name: { en: `Latency ${key} (s)`, zh: `延迟 ${key} (s)` },
    of: (p) => digitsFor(p, `latencyMs.${key}`, secondsOf(p.latencyMs?.[key]), 4),
  })),
  ...(['ttftMs', 'tpotMs'] as const).map((time): Row => ({
    name: {
      en: `${time === 'ttftMs' ? 'TTFT' : 'TPOT'} p50 (ms)`,
      zh: `${time === 'ttftMs' ? 'TTFT' : 'TPOT'} p50 (ms)`,
    },
    of: (p) => digitsFor(p, `${time}.p50`, p[time]?.p50, 2),
  })),
];

/** Published Chinese tables leave units out; ours do not. */
function withUnit({ en, zh }: Phrase): Phrase {
  const unit = /\([^)]*\)$/.exec(en)?.[0];
  return { en, zh: unit === undefined || zh.includes('(') ? zh : `${zh} ${unit}` };
}

function isOwn({ points }: Sweep): boolean {
  return points.length > 0 && points.every(({ source }) => source.tool === 'llmdyno');
}

/** The rows of counts; the first is called what published tables call it. */
function countRows(points: readonly Summary[]): Row[] {
  return countColumns(points).map(({ name, of }, i) => ({
    name: i === 0 ? labels.failures : name,
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

const wholeRun: Phrase = {
  en: 'The table is of whole runs, start and drain included; their steady part, which sentences speak of, is in dyno report.',
  zh: '表中为整次运行（含启动与收尾）的数据；结论所依据的稳态段见 dyno report。',
};

function sweepTable(sweep: Sweep, options: ReportOptions): string {
  const { lang } = options;
  const whole = sweep.points.some(({ steady }) => steady !== null) ? [`- ${say(wholeRun, lang)}`] : [];
  const notes = [...whole, ...pointNotes(sweep, (point) => notesOf(point, lang)).map((note) => `- ${escaped(note)}`)];
  const tables = isGrid(sweep.points) ? gridMarkdown(sweep.points, lang) : columnTable(sweep, lang);
  const says = sweep.points.length > 1 || sweep.search !== undefined ? sweepInWords(sweep).says : [];
  const heading = isOwn(sweep)
    ? [
        `**${escaped(say(askedInWords(sweep.points), lang))}**`,
        '',
        ...(says.length === 0 ? [] : [escaped(says.map((one) => say(one, lang)).join(lang === 'zh' ? '' : ' ')), '']),
      ]
    : [];
  return `${[...heading, tables, ...(notes.length > 0 ? ['', ...notes] : [])].join('\n')}\n`;
}

/** A grid as people print it: throughput by the lengths asked for, then a table of the lengths that came out for each input. */
function gridMarkdown(points: readonly Summary[], lang: ReportOptions['lang']): string {
  const outputs = [...new Set(points.map((point) => askedOf(point).output))].toSorted((a, b) => Number(a) - Number(b));
  const at = (input: string | null, output: string | null): string => {
    const here = points.filter((point) => askedOf(point).input === input && askedOf(point).output === output);
    return meanOf(here.map((point) => point.outputTokensPerSec))?.toFixed(4) ?? '-';
  };
  const rate = say({ en: 'Throughput (tok/s)', zh: 'completion-tokens/s' }, lang);
  const heat = markdownTable(
    [`${rate}: ${say({ en: 'input \\ output', zh: '输入 \\ 输出' }, lang)}`, ...outputs.map((output) => output ?? '-')],
    byInput(points).map(([input]) => [input ?? '-', ...outputs.map((output) => at(input, output))]),
  );
  const each = byInput(points).map(([input, list]) => {
    const shown = gridColumns.filter(({ of }) => list.some((point) => of(point) !== null));
    const table = markdownTable(
      shown.map(({ name }) => say(name, lang)),
      list.map((point) => shown.map(({ of }) => of(point) ?? '-')),
    );
    return `**input ${escaped(input ?? '-')}**\n\n${table}`;
  });
  return [...(isFilled(points) ? [heat] : []), ...each].join('\n\n');
}

/** A figure as the document's own table prints it, else from the log with so many decimals. */
function asTabled(point: Summary, key: string, value: number | null | undefined, decimals: number): string | null {
  const mention = point.alsoPrinted?.find((one) => one.where === 'table' && one.key === key);
  if (mention !== undefined && typeof value === 'number' && /^\d{1,15}(\.\d{1,15})?$/.test(mention.digits))
    return mention.digits;
  const printed = digitsFor(point, key, value, decimals);
  return printed !== null && printed.length - printed.indexOf('.') > decimals + 1 ? value!.toFixed(decimals) : printed;
}

const gridColumns: readonly { name: Phrase; of(point: Summary): string | null }[] = [
  {
    name: { en: 'Output length (tokens)', zh: '输出长度' },
    of: (p) => asTabled(p, 'outputTokens.mean', p.outputTokens?.mean, 0),
  },
  {
    name: { en: 'Throughput (tok/s)', zh: 'completion-tokens/s' },
    of: (p) => asTabled(p, 'outputTokensPerSec', p.outputTokensPerSec, 4),
  },
  {
    name: { en: 'Input throughput (tok/s)', zh: 'prompt-tokens/s' },
    of: (p) => asTabled(p, 'inputTokensPerSec', p.inputTokensPerSec, 4),
  },
  { name: labels.qps, of: (p) => asTabled(p, 'requestsPerSec', p.requestsPerSec, 4) },
  { name: labels.averageLatency, of: (p) => digitsFor(p, 'latencyMs.mean', secondsOf(p.latencyMs?.mean), 3) },
];

function columnTable(sweep: Sweep, lang: ReportOptions['lang']): string {
  const head = [say(labels.perMetric, lang), ...sweep.points.map((point) => pointName(sweep, point))];
  const body = [...(isOwn(sweep) ? ownRows : rows), ...countRows(sweep.points)].flatMap((row) => {
    const cells = sweep.points.map((point) => row.of(point));
    return cells.every((cell) => cell === null) ? [] : [[say(row.name, lang), ...cells.map((cell) => cell ?? '-')]];
  });
  return markdownTable(head, body);
}

/** A table of strangers' words; from the column `figuresFrom` on to the right. */
export function markdownTable(
  head: readonly string[],
  body: readonly (readonly string[])[],
  figuresFrom = Infinity,
): string {
  const rule = head.map((_, i) => (i < figuresFrom ? '---' : '---:'));
  return [head, rule, ...body].map((cells) => `| ${cells.map(escaped).join(' | ')} |`).join('\n');
}

function notesOf(point: Summary, lang: ReportOptions['lang']): string[] {
  const simulated = simulationOf(point);
  const invalid = point.verdict.findings.filter((finding) => finding.severity === 'invalid');
  return [
    ...(simulated === null ? [] : [say(simulated, lang)]),
    ...(point.partial ? [say(labels.partial, lang)] : []),
    ...(point.verdict.valid ? [] : [say(labels.notValid, lang)]),
    ...invalid.map((finding) => (lang === 'zh' ? finding.zh.message : finding.message)),
  ];
}

/** Text of a stranger for one cell: one line, no column breaks, no markup and no HTML. */
export function escaped(cell: string): string {
  return printable(cell)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[\\`*_[\]|]/g, '\\$&');
}
