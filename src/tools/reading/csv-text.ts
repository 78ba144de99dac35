/** A row of a CSV file. */
export interface CsvRow {
  line: number;
  cells: string[];
}

const mostCells = 5000;
const mostRows = 200_000;

/** Rows of a CSV text (RFC 4180: quotes, doubled quotes, line breaks inside quotes). Stops at absurd sizes. */
export function readCsv(text: string): CsvRow[] {
  const rows: CsvRow[] = [];
  let cells: string[] = [];
  let cell = '';
  let quoted = false;
  let line = 1;
  let rowLine = 1;
  const endCell = (): void => {
    if (cells.length < mostCells) cells.push(cell);
    cell = '';
  };
  const endRow = (): void => {
    endCell();
    if (cells.some((value) => value !== '')) rows.push({ line: rowLine, cells });
    cells = [];
  };
  const start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  for (let i = start; i < text.length && rows.length < mostRows; i++) {
    const char = text[i]!;
    if (char === '\n') line++;
    if (quoted) {
      if (char !== '"') cell += char;
      else if (text[i + 1] === '"') {
        cell += '"';
        i++;
      } else quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === ',') endCell();
    else if (char === '\n') {
      endRow();
      rowLine = line;
    } else if (char !== '\r') cell += char;
  }
  if (cell !== '' || cells.length > 0) endRow();
  return rows;
}
