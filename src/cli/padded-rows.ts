/** Rows as columns of equal width; Chinese characters count two. */
export function paddedRows(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => widthOf(row[at] ?? ''))));
  return rows
    .map((row) => {
      const cells = row.map((cell, at) => cell + ' '.repeat(Math.max(0, widths[at]! - widthOf(cell))));
      return `${cells.join('  ').trimEnd()}\n`;
    })
    .join('');
}

function widthOf(text: string): number {
  let width = 0;
  for (const char of text)
    width += /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60]/.test(char) ? 2 : 1;
  return width;
}
