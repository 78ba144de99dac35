/** The cells of a line of a table drawn with | or │; null when the line is not such a row. */
export function boxCells(line: string): string[] | null {
  const trimmed = line.trim();
  if (trimmed.length < 3 || trimmed.length > 20_000) return null;
  const bar = trimmed[0];
  if (bar !== '|' && bar !== '│' && bar !== '┃') return null;
  if (trimmed.at(-1) !== bar) return null;
  return trimmed
    .slice(1, -1)
    .split(bar)
    .map((cell) => cell.trim());
}

/** A line that only draws the frame of a table. */
export function isBoxRule(line: string): boolean {
  const trimmed = line.trim();
  return trimmed.length >= 3 && /^[+\-=|:┌┬┐├┼┤└┴┘─━╭╮╰╯│┏┳┓┡╇┩╞╪╡ ]+$/.test(trimmed);
}

/** Terminal colours and carriage returns taken out of a log line. */
export function plainLine(line: string): string {
  // oxlint-disable-next-line no-control-regex
  return line.replaceAll(/\u001B\[[0-9;?]*[A-Za-z]/g, '').replaceAll('\r', '');
}
