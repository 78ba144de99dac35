/** Columns a terminal gives a text: wide characters (Chinese, full-width forms) take two. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const letter of text)
    columns += /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]/.test(
      letter,
    )
      ? 2
      : 1;
  return columns;
}

/** Rows in left-justified columns, two spaces in. */
export function rowsOf(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, columnsOf(cell));
  return rows.map((row) => {
    const cells = row.map((cell, at) =>
      at === row.length - 1 ? cell : cell + ' '.repeat(widths[at]! - columnsOf(cell)),
    );
    return `  ${cells.join('  ')}`.trimEnd();
  });
}
