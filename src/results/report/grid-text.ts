import { meanOf, say, quotedFigures } from '../../core/index.ts';
import { askedOf, isFilled } from './grid.ts';
import type { Phrase, Summary, Sweep } from '../../core/index.ts';
import { sized, unknown } from './figure-text.ts';
import { plainPainter } from './reported.ts';
import type { Painter, ReportOptions } from './reported.ts';
import { tableText } from './table.ts';

const labels = {
  heat: {
    en: 'output tokens/s by lengths asked (rows: input, columns: output)',
    zh: '输出 tok/s（行：输入长度，列：输出长度）',
  },
  input: { en: 'input', zh: '输入' },
  output: { en: 'output', zh: '输出' },
  realInput: { en: 'real in', zh: '实际输入' },
  realOutput: { en: 'real out', zh: '实际输出' },
  outputRate: { en: 'out tok/s', zh: '输出tok/s' },
  inputRate: { en: 'in tok/s', zh: '输入tok/s' },
  inputChars: { en: 'in chars/s', zh: '输入字符/秒' },
  outputChars: { en: 'out chars/s', zh: '输出字符/秒' },
  user: { en: 'tok/s per user', zh: '单用户tok/s' },
  requests: { en: 'req/s', zh: '请求/秒' },
  chart: {
    en: 'output tokens/s (up) against the real mean output length (right), one mark per input length',
    zh: '输出 tok/s（纵轴）对实际平均输出长度（横轴），每种输入长度一个符号',
  },
  askedChart: {
    en: 'output tokens/s (up) against the output length asked for (right), one mark per input length',
    zh: '输出 token/秒（纵轴）对要求的输出长度（横轴），每种输入长度一个符号',
  },
  lengths: {
    en: 'lengths asked against lengths counted; what a template or chat format adds is in the counted ones',
    zh: '要求长度与实际长度；模板与对话格式增加的部分计入实际长度',
  },
} as const satisfies Record<string, Phrase>;

const marks = 'ox+*#@%&';
const shades = ' ░▒▓█';

/** A grid of lengths: a heat table, a table of every cell with its real lengths, and a chart. */
export function gridText(sweep: Sweep, options: ReportOptions): string {
  const { lang, paint = plainPainter } = options;
  const inputs = inOrder(sweep.points.map((point) => askedOf(point).input));
  const heat = isFilled(sweep.points)
    ? [paint.strong(say(labels.heat, lang)), heatTable(sweep.points, inputs, options)]
    : [];
  return [
    ...heat,
    paint.strong(say(labels.lengths, lang)),
    cellTable(sweep.points, options),
    paint.strong(say(isCounted(sweep.points) ? labels.chart : labels.askedChart, lang)),
    ...chart(sweep.points, inputs, paint),
  ].join('\n');
}

function heatTable(
  points: readonly Summary[],
  inputs: readonly (string | null)[],
  { lang, columns }: ReportOptions,
): string {
  const outputs = inOrder(points.map((point) => askedOf(point).output));
  const most = Math.max(...points.map((point) => quotedFigures(point).outputTokensPerSec ?? 0), 1e-9);
  const cell = (input: string | null, output: string | null): string => {
    const here = points.filter((point) => askedOf(point).input === input && askedOf(point).output === output);
    const mean = meanOf(here.map((point) => quotedFigures(point).outputTokensPerSec));
    if (mean === null) return unknown;
    return `${sized(mean)} ${shades[Math.min(4, Math.round((mean / most) * 4))]}`;
  };
  return tableText(
    [`${say(labels.input, lang)} \\ ${say(labels.output, lang)}`, ...outputs.map((output) => output ?? unknown)],
    inputs.map((input) => [input ?? unknown, ...outputs.map((output) => cell(input, output))]),
    columns,
  );
}

function cellTable(points: readonly Summary[], { lang, columns }: ReportOptions): string {
  const cells: [Phrase, (point: Summary) => string][] = [
    [labels.input, (point) => askedOf(point).input ?? unknown],
    [labels.output, (point) => askedOf(point).output ?? unknown],
    [labels.realInput, (point) => sized(point.inputTokens?.mean)],
    [labels.realOutput, (point) => sized(point.outputTokens?.mean)],
    [labels.outputRate, (point) => sized(quotedFigures(point).outputTokensPerSec)],
    [labels.inputRate, (point) => sized(quotedFigures(point).inputTokensPerSec)],
    [labels.inputChars, (point) => sized(point.inputCharsPerSec)],
    [labels.outputChars, (point) => sized(point.outputCharsPerSec)],
    [labels.user, (point) => sized(point.userTokensPerSec?.mean)],
    [labels.requests, (point) => sized(quotedFigures(point).requestsPerSec)],
  ];
  const shown = cells.filter(([, of]) => points.some((point) => of(point) !== unknown));
  return tableText(
    shown.map(([name]) => say(name, lang)),
    points.map((point) => shown.map(([, of]) => of(point))),
    columns,
  );
}

/** Whether anybody counted the tokens that came out; else the lengths asked for are all there is. */
function isCounted(points: readonly Summary[]): boolean {
  return points.some((point) => point.outputTokens?.mean != null);
}

/** Points in a frame of letters; the axes end at the largest values, and begin at 0. */
function chart(points: readonly Summary[], inputs: readonly (string | null)[], paint: Painter): string[] {
  const [width, height] = [64, 14];
  const counted = isCounted(points);
  const placed = points.flatMap((point) => {
    const length = counted ? point.outputTokens?.mean : Number(askedOf(point).output);
    const [x, y] = [length ?? null, quotedFigures(point).outputTokensPerSec];
    const mark = marks[inputs.indexOf(askedOf(point).input) % marks.length]!;
    return x === null || y === null || Number.isNaN(x) ? [] : [{ x, y, mark }];
  });
  if (placed.length === 0) return [unknown];
  const [mostX, mostY] = [Math.max(...placed.map(({ x }) => x)), Math.max(...placed.map(({ y }) => y))];
  const rows = Array.from({ length: height }, () => Array.from({ length: width }, () => ' '));
  for (const { x, y, mark } of placed) {
    const column = Math.round((x / (mostX || 1)) * (width - 1));
    const row = height - 1 - Math.round((y / (mostY || 1)) * (height - 1));
    rows[row]![column] = rows[row]![column] === ' ' ? mark : '▪';
  }
  const label = sized(mostY).padStart(8);
  return [
    ...rows.map(
      (row, i) => `${i === 0 ? label : i === height - 1 ? '0'.padStart(8) : ' '.repeat(8)} │${row.join('').trimEnd()}`,
    ),
    `${' '.repeat(8)} └${'─'.repeat(width)}`,
    `${' '.repeat(10)}0${sized(mostX).padStart(width - 1)}`,
    paint.faint(inputs.map((input, i) => `${marks[i % marks.length]} ${input ?? unknown}`).join('   ')),
  ];
}

function inOrder(values: readonly (string | null)[]): (string | null)[] {
  return [...new Set(values)].toSorted((a, b) => Number(a ?? 0) - Number(b ?? 0));
}
