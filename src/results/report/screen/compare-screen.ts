import { cellsOf, cutToCells, padToCells, printable } from '../../../core/index.ts';
import type { Phrase } from '../../../core/index.ts';
import type { ComparedMetricRow, Comparison, MetricChange } from '../../measure/index.ts';
import {
  changeVerdict,
  changeWords,
  comparedWords,
  compareInWords,
  letterOf,
  placeOf,
  signedPercent,
} from '../sentence/compare.ts';
import type { ChangeVerdict } from '../sentence/compare.ts';
import { forestOf } from '../sentence/forest.ts';
import type { ForestRow } from '../sentence/forest.ts';
import { doubtsInWords } from '../sentence/doubts.ts';
import { gateWords } from '../sentence/gate.ts';
import { promiseWords } from '../sentence/promise.ts';
import { shareFigure, shortFigure } from '../sentence/short-figure.ts';
import { doubtLines, frameOf } from './screen.ts';
import type { Frame, ScreenOptions } from './screen.ts';

/** Lines that two compared runs may take. */
export const compareScreenLines = 24;

/** A comparison on one screen: a sentence for each candidate, promises and gates, one table, doubts. The rest is in comparisonReportText. */
export function comparisonScreen(comparison: Comparison, options: ScreenOptions): string {
  const frame = frameOf(options);
  const { paint, fold, say: inLang } = frame;
  const answer = compareInWords(comparison).flatMap(({ tone, says }) =>
    fold(inLang(says)).map((line) => ({ good: paint.good, warn: paint.warn, bad: paint.bad })[tone](line)),
  );
  const names = comparison.names.map((name, i) => cutToCells(`${letterOf(i)}  ${printable(name)}`, frame.columns));
  const promises = (comparison.promises ?? []).map((one) => {
    const whose = `${letterOf(comparison.runs.indexOf(one.run))}${one.place === undefined ? '' : ` @ ${printable(one.place)}`}`;
    const line = `  ${whose}: ${inLang(promiseWords(one).line)}`;
    return one.kept === null ? paint.warn(line) : one.kept ? paint.good(line) : paint.bad(line);
  });
  const gates = comparison.gates.flatMap((gate) =>
    fold(inLang(gateWords(gate))).map(gate.failed ? paint.bad : gate.state === 'passed' ? paint.good : paint.warn),
  );
  const places = new Set(comparison.metrics.map(placeOf));
  const table =
    comparison.metrics.length === 0
      ? []
      : places.size === 1 && comparison.names.length === 2
        ? pairTable(comparison, frame)
        : manyTable(comparison, frame);
  const doubts = doubtsInWords([{ name: null, findings: comparison.findings }]).filter(
    ({ severity }, i) => !(severity === 'invalid' && i === 0 && !comparison.comparable),
  );
  const foot = paint.faint(
    inLang({
      en: 'Every metric, with intervals: --all · picture: --as png',
      zh: '全部指标与置信区间：--all · 图表：--as png',
    }),
  );
  // A prediction beside a measurement looks like one more measurement.
  const made = comparison.findings
    .filter(({ code }) => code === 'simulated')
    .map(({ message, zh }) => inLang({ en: message, zh: zh.message }));
  const simulated = sharedNotes(made, comparison.names).flatMap((line) => fold(`[${printable(line)}]`).map(paint.warn));
  const above = [...answer, ...names, ...simulated, ...promises];
  const room = compareScreenLines - above.length - table.length - gates.length - 3;
  const doubted = doubtLines(doubts, Math.max(1, room), frame);
  return `${[...above, '', ...table, ...(doubted.length > 0 ? ['', ...doubted] : []), ...gates, foot].join('\n')}\n`;
}

/** What is said of every one alike is said once, without their names and points. */
function sharedNotes(notes: readonly string[], names: readonly string[]): readonly string[] {
  const bare = new Set(
    notes.map((note) => {
      const whose = names.find((name) => note.startsWith(name)) ?? '';
      return note.slice(whose.length).replace(/ @ [^@]*$/, '');
    }),
  );
  return notes.length === names.length && bare.size === 1
    ? [`${names.map((_, i) => letterOf(i)).join(', ')}${[...bare][0]!}`]
    : notes;
}

const chosen = Object.keys(comparedWords);

/** Two runs at one load: a row a metric, with its interval and its verdict in words. */
function pairTable(comparison: Comparison, { paint, say: inLang, columns }: Frame): string[] {
  const { metrics } = comparison;
  const rows = chosen.flatMap((metric) => {
    const row = metrics.find((one) => one.metric === metric);
    return row === undefined || row.values.every((value) => !value) ? [] : [row];
  });
  const cells = rows.map((row) => {
    const change = row.changes[0]!;
    const verdict = changeVerdict(row, change);
    const unit = /^(ttft|tpot|latency)/.test(row.metric) ? ' (ms)' : '';
    return {
      verdict,
      name: comparedWords[row.metric]!,
      cells: [
        `${inLang(comparedWords[row.metric]!)}${unit}`,
        ...row.values.map((value) => (row.metric === 'failed' ? shareFigure(value) : shortFigure(value))),
        signedPercent(change.changeRatio),
        change.interval === null ? '' : `${signedPercent(change.interval[0])} … ${signedPercent(change.interval[1])}`,
        inLang(changeWords[verdict]),
      ],
    };
  });
  const head = [
    '',
    'A',
    'B',
    inLang({ en: 'change', zh: '变化' }),
    inLang({ en: '95 % interval', zh: '95% 区间' }),
    '',
  ];
  const widths = head.map((name, i) => Math.max(cellsOf(name), ...cells.map((row) => cellsOf(row.cells[i]!))));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => padToCells(cell, widths[i]!, i > 0 && i < row.length - 1))
      .join('  ')
      .trimEnd();
  const taken = widths.reduce((sum, width) => sum + width + 2, 0);
  const forest = forestOf(comparison, 0);
  const room = Math.min(widestPlot, columns - taken);
  const plot = (name: Phrase): string => {
    const row = forest?.rows.find(({ metric }) => metric === name);
    return row === undefined || room < leastPlot ? '' : plotLine(row, forest!.zero, room);
  };
  const beside = (text: string, drawn: string): string => (drawn === '' ? text : `${padToCells(text, taken)}${drawn}`);
  const ends = forest === null || room < leastPlot ? '' : endsLine(forest.ends, room);
  return [
    paint.faint(beside(line(head), ends)),
    ...cells.map(({ verdict, name, cells: row }) => painted(verdict, { paint })(beside(line(row), plot(name)))),
  ];
}

/** A plot of fewer cells tells nothing; a terminal of 80 has none to spare. */
const leastPlot = 16;
const widestPlot = 33;

/** A change with its interval on a line of so many cells: `├──●──┤`, and `│` where there is none. */
function plotLine({ at, from, to }: ForestRow, zero: number, cells: number): string {
  const place = (share: number): number => Math.round(share * (cells - 1));
  const line = Array.from({ length: cells }, () => ' ');
  line[place(zero)] = '│';
  if (from !== null && to !== null) {
    for (let cell = place(from); cell <= place(to); cell += 1) line[cell] = cell === place(zero) ? '┼' : '─';
    line[place(from)] = '├';
    line[place(to)] = '┤';
  }
  line[place(at)] = '●';
  return line.join('').trimEnd();
}

function endsLine([low, high]: readonly [string, string], cells: number): string {
  return `${low}${' '.repeat(Math.max(1, cells - cellsOf(low) - cellsOf(high)))}${high}`;
}

const compact = ['outputTokensPerSec', 'ttft.p99', 'tpot.p99', 'latency.p99'] as const;

/** Several loads or candidates: a row for each, throughput of both sides, and how the tails changed. */
function manyTable(comparison: Comparison, { paint, say: inLang, columns }: Frame): string[] {
  const places = [...new Set(comparison.metrics.map(placeOf))];
  const several = comparison.names.length > 2;
  const rowOf = (place: string, metric: string): ComparedMetricRow | undefined =>
    comparison.metrics.find((row) => row.metric === metric && placeOf(row) === place);
  const rate = places.some((place) => rowOf(place, 'outputTokensPerSec') !== undefined)
    ? 'outputTokensPerSec'
    : 'requestsPerSec';
  const known = [rate, ...compact.slice(1)].filter((metric) =>
    places.some((place) => rowOf(place, metric) !== undefined),
  );
  for (let metrics = known.length; ; metrics -= 1) {
    const lines = tableOf(known.slice(0, metrics));
    // A narrow terminal leaves the tails out; they are behind --all.
    if (metrics <= 1 || lines.slice(1, -1).every((line) => cellsOf(line) <= columns)) return lines;
  }

  function tableOf(shown: readonly string[]): string[] {
    const head = [
      '',
      `${inLang(comparedWords[rate]!)} A`,
      ...(several ? [inLang({ en: 'other', zh: '对比' })] : ['B']),
      ...shown.map((metric) =>
        metric === rate ? inLang({ en: 'change', zh: '变化' }) : inLang(comparedWords[metric]!),
      ),
    ];
    const body = places.flatMap((place) =>
      comparison.names.slice(1).map((_, i) => {
        const values = rowOf(place, rate)?.values ?? [];
        const other = shortFigure(values[i + 1]);
        return [
          i === 0 ? place : '',
          i === 0 ? shortFigure(values[0]) : '',
          several ? `${letterOf(i + 1)} ${other}` : other,
          ...shown.map((metric) => {
            const row = rowOf(place, metric);
            const change = row?.changes[i];
            return row === undefined || change === undefined ? '–' : marked(row, change);
          }),
        ];
      }),
    );
    const widths = head.map((name, i) => Math.max(cellsOf(name), ...body.map((row) => cellsOf(row[i]!))));
    const rest = widths.slice(1).reduce((sum, width) => sum + width + 2, 0);
    widths[0] = Math.min(widths[0]!, Math.max(8, columns - rest));
    const line = (row: readonly string[]): string =>
      row
        .map((cell, i) => padToCells(i === 0 ? cutToCells(cell, widths[0]!) : cell, widths[i]!, i > 0))
        .join('  ')
        .trimEnd();
    return [
      paint.faint(line(head)),
      ...body.map(line),
      paint.faint(
        inLang({ en: '▲ better ▼ worse, certain at 95 % · ? not certain', zh: '▲ 更好 ▼ 更差（95 % 确定）· ? 不确定' }),
      ),
    ];
  }
}

function marked(row: ComparedMetricRow, change: MetricChange): string {
  const verdict = changeVerdict(row, change);
  const mark = { better: ' ▲', worse: ' ▼', same: ' ?', untested: ' ?', incomparable: ' ?', unknown: '' }[verdict];
  return `${signedPercent(change.changeRatio)}${mark}`;
}

function painted(verdict: ChangeVerdict, { paint }: Pick<Frame, 'paint'>): (line: string) => string {
  return verdict === 'better' ? paint.good : verdict === 'worse' ? paint.bad : (line) => line;
}
