import { cellsOf } from '../core/index.ts';

/** Rows as columns of equal width; Chinese characters count two. */
export function paddedRows(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => cellsOf(row[at] ?? ''))));
  return rows
    .map((row) => {
      const cells = row.map((cell, at) => cell + ' '.repeat(Math.max(0, widths[at]! - cellsOf(cell))));
      return `${cells.join('  ').trimEnd()}\n`;
    })
    .join('');
}
