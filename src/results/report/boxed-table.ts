/** A table in a box of `+`, `-` and `|`, cells to the right, as prettytable prints it. */
export function boxedTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  const rule = `+${widths.map((width) => '-'.repeat(width + 2)).join('+')}+`;
  const line = (row: readonly string[]): string =>
    `|${row.map((cell, i) => ` ${cell.padStart(widths[i]!)} `).join('|')}|`;
  return [rule, line(head), rule, ...rows.map(line), rule];
}
