import Table from 'cli-table3';
import { cellsOf, printable, wrapToCells } from '../../core/index.ts';

/** Cells between two columns. */
const gap = 2;
/** Lines that are seen at once on the smallest terminal: what belongs to one row should stand on one screen. */
const screenLines = 24;

/**
 * One table of a terminal: the first column is left, the others right-aligned; wide characters take two cells. Where
 * `columns` cells are too few for a line, the columns that do not fit follow below, beside the first one again; where
 * even that is too wide or too long, every row is a list of its own. `alone` are names that say enough without the column before.
 */
export function tableText(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  columns = Infinity,
  alone: readonly string[] = head,
): string {
  const whole = [head, ...rows].map((row) => row.map(printable));
  if (blocksOf(widthsOf(whole), columns)?.length === 1) return drawn(whole);
  const lines = [alone.map(printable), ...whole.slice(1)];
  const blocks = blocksOf(widthsOf(lines), columns);
  if (blocks === null || blocks.length * lines.length > screenLines) return listed(lines, Math.max(20, columns));
  return blocks.map((places) => drawn(lines.map((line) => places.map((at) => line[at] ?? '')))).join('\n');
}

function widthsOf(lines: readonly (readonly string[])[]): number[] {
  return lines[0]!.map((_, at) => Math.max(...lines.map((line) => cellsOf(line[at] ?? ''))));
}

/** Which columns stand beside the first one, block by block; null = one of them does not fit beside it. */
function blocksOf(widths: readonly number[], columns: number): number[][] | null {
  const blocks: number[][] = [[0]];
  let used = widths[0]!;
  for (const [i, width] of widths.slice(1).entries()) {
    if (widths[0]! + gap + width > columns) return null;
    if (used + gap + width > columns) {
      blocks.push([0]);
      used = widths[0]!;
    }
    blocks.at(-1)!.push(i + 1);
    used += gap + width;
  }
  return used > columns ? null : blocks;
}

/** A row as its first cell with the others below it, each behind its name. */
function listed([head, ...rows]: readonly (readonly string[])[], columns: number): string {
  const named = (name: string, cell: string, indent: string): string[] => {
    const text = name === '' ? cell : `${name}: ${cell}`;
    return wrapToCells(text, columns - indent.length - 2).map((line, i) => `${indent}${i === 0 ? '' : '  '}${line}`);
  };
  return rows
    .flatMap((row) => row.flatMap((cell, at) => (cell === '' ? [] : named(head![at]!, cell, at === 0 ? '' : '  '))))
    .join('\n');
}

function drawn([head, ...rows]: readonly string[][]): string {
  const table = new Table({
    head: head!,
    colAligns: head!.map((_, index) => (index === 0 ? 'left' : 'right')),
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
    chars: {
      top: '─',
      'top-mid': '──',
      'top-left': '',
      'top-right': '',
      bottom: '─',
      'bottom-mid': '──',
      'bottom-left': '',
      'bottom-right': '',
      left: '',
      'left-mid': '',
      mid: '─',
      'mid-mid': '──',
      right: '',
      'right-mid': '',
      middle: '  ',
    },
  });
  for (const row of rows) table.push(row);
  return table.toString();
}

/** A table in a box of `+`, `-` and `|`, cells to the right, as prettytable prints it. */
export function boxedTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  const rule = `+${widths.map((width) => '-'.repeat(width + 2)).join('+')}+`;
  const line = (row: readonly string[]): string =>
    `|${row.map((cell, i) => ` ${cell.padStart(widths[i]!)} `).join('|')}|`;
  return [rule, line(head), rule, ...rows.map(line), rule];
}
