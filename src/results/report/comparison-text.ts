import { say } from '../../core/index.ts';
import type { Lang, Phrase, Summary, Sweep } from '../../core/index.ts';
import { countColumns } from './count-columns.ts';
import { fixed, secondsOf, unknown } from './figure-text.ts';
import { cautions } from './finding-text.ts';
import { placeTitle, pointName, sweepName, variableOf } from './point-name.ts';
import { plainPainter } from './reported.ts';
import type { ReportOptions } from './reported.ts';
import { pointNotes } from './sweep-text.ts';
import { letterOf } from './sentence/compare.ts';
import { tableText } from './table.ts';
import { labels } from './labels.ts';

interface Row {
  name: Phrase;
  decimals: number;
  of(point: Summary): number | null;
  /** Whether a ratio means anything. */
  ratio: boolean;
}

const rows: readonly Row[] = [
  { name: labels.qps, decimals: 3, of: (point) => point.requestsPerSec, ratio: true },
  { name: labels.averageLatency, decimals: 3, of: (point) => secondsOf(point.latencyMs?.mean), ratio: true },
  { name: labels.throughput, decimals: 3, of: (point) => point.outputTokensPerSec, ratio: true },
  { name: labels.ttftMedian, decimals: 4, of: (point) => secondsOf(point.ttftMs?.p50), ratio: true },
];

/** Sweeps side by side, a row per figure and load; the ratio is to the first sweep. A load one did not run is unknown. */
export function comparisonText(sweeps: readonly Sweep[], options: ReportOptions): string {
  const { lang } = options;
  const paint = options.paint ?? plainPainter;
  const loadOf = new Map(
    sweeps.flatMap((sweep) => sweep.points.map((point) => [pointName(sweep, point), variableOf(sweep, point) ?? 0])),
  );
  const places = [...loadOf.keys()].toSorted((a, b) => loadOf.get(a)! - loadOf.get(b)!);
  const names = sweeps.map((sweep, index) => `${letterOf(index)}: ${sweepName(sweep)}`);
  const letters = names.map((name) => name.slice(0, 1));
  const ratioHeads = letters.slice(1).map((letter) => `${letter}/${letters[0] ?? ''}`);
  const variable = sweeps[0] === undefined ? labels.concurrency : placeTitle(sweeps[0]);
  const counted = countColumns(sweeps.flatMap(({ points }) => points)).map(({ name, of }, i): Row => ({
    name: i === 0 ? labels.failures : name,
    of,
    decimals: 0,
    ratio: false,
  }));
  const body = [...rows, ...counted].flatMap((row) => places.map((place) => comparedRow(row, place, sweeps, lang)));
  const notes = sweeps.flatMap((sweep, index) =>
    pointNotes(sweep, (point) => cautions(point, lang, paint)).map((line) => `${letters[index]} ${line}`),
  );
  const head = [say(labels.metric, lang), say(variable, lang), ...letters, ...ratioHeads];
  const table = tableText(head, body, options.columns);
  return `${[...names.map(paint.strong), table, ...notes].join('\n')}\n`;
}

function comparedRow(row: Row, place: string, sweeps: readonly Sweep[], lang: Lang): string[] {
  const values = sweeps.map((sweep) => {
    const point = sweep.points.find((one) => pointName(sweep, one) === place);
    return point === undefined ? null : row.of(point);
  });
  const [first] = values;
  const ratios = values.slice(1).map((value) => {
    const known = row.ratio && value !== null && first !== null && first !== undefined && first > 0;
    return known ? `${(value / first).toFixed(2)}×` : unknown;
  });
  return [say(row.name, lang), place, ...values.map((value) => fixed(value, row.decimals)), ...ratios];
}
