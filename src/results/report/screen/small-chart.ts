import { cellsOf } from '../../../core/index.ts';

/** What a small chart draws. */
export interface SmallChart {
  values: readonly (number | null)[];
  /** How a value is written at the axis. */
  figure(value: number): string;
  /** What stands under a value; '' = nothing. */
  mark(at: number): string;
  /** Below the first and the last value. */
  ends: readonly [string, string];
}

const rows = 6;

/**
 * Values in their order as dots over a few rows of text, with marks on the axis. Where there are more values than cells each cell holds
 * the mean of its neighbours, and every mark of theirs.
 */
export function smallChart({ values, figure, mark, ends }: SmallChart, columns: number): string[] {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return [];
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const labels = [high, low].map(figure);
  const gutter = Math.max(...labels.map(cellsOf)) + 1;
  const cells = Math.max(1, Math.min(values.length * 2, columns - gutter - 1));
  const step = Math.max(1, Math.ceil(values.length / cells));
  // Few values stand two cells apart, so that they are told from one another.
  const width = step === 1 && values.length * 2 <= cells ? 2 : 1;
  const count = Math.ceil(values.length / step);
  const groups = Array.from({ length: count }, (_, i) => {
    const of = values.slice(i * step, (i + 1) * step).filter((value) => value !== null);
    return of.length === 0 ? null : of.reduce((sum, value) => sum + value, 0) / of.length;
  });
  const rowOf = (value: number): number =>
    high === low ? Math.floor(rows / 2) : Math.round(((high - value) / (high - low)) * (rows - 1));
  const lines = Array.from({ length: rows }, (_, row) => {
    const label =
      row === (high === low ? Math.floor(rows / 2) : 0) ? labels[0]! : row === rows - 1 && high > low ? labels[1]! : '';
    const dots = groups.map((value) => (value !== null && rowOf(value) === row ? '•' : ' ').padEnd(width)).join('');
    return `${' '.repeat(gutter - 1 - cellsOf(label))}${label} ┤${dots}`.trimEnd();
  });
  const axis = groups.map((_, i) => {
    const marks = Array.from({ length: step }, (__, k) => (i * step + k < values.length ? mark(i * step + k) : ''));
    return (marks.find((one) => one !== '') ?? '─').padEnd(width, '─');
  });
  const length = count * width;
  const [first, last] = ends;
  const gap = length - cellsOf(first) - cellsOf(last);
  const below = gap >= 1 ? `${first}${' '.repeat(gap)}${last}` : first === last ? first : `${first} … ${last}`;
  return [...lines, `${' '.repeat(gutter)}└${axis.join('')}`, `${' '.repeat(gutter + 1)}${below}`];
}
