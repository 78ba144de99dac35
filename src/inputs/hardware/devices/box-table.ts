import { headerWords, isHeaderRow } from './box-columns.ts';
import type { HeaderWord } from './box-columns.ts';
import type { CleanText } from './clean-lines.ts';

/** A row of a boxed table: its cells, and whether a rule or a gap stands before it. */
export interface BoxRow {
  cells: string[];
  opens: boolean;
  /** Line number in the text, from 1. */
  line: number;
}

/** A boxed table: header lines as words per cell, then rows. */
export interface BoxTable {
  header: HeaderWord[][][];
  rows: BoxRow[];
  /** What stood above the header since the last table: titles, versions, banners. */
  above: string;
}

/** Every boxed table in a text, and the lines that begin as a row but do not end as one. */
export interface BoxTables {
  tables: BoxTable[];
  cutLines: number[];
  /** The text's last row, if no rule closes the box behind it. */
  openLine: number | null;
}

const mostRows = 4096;

/** Finds tables drawn with `|`, `+`, `-` and `=` by the words of their headers. */
export function boxTables({ lines }: CleanText): BoxTables {
  const tables: BoxTable[] = [];
  const cutLines: number[] = [];
  let table: BoxTable | null = null;
  let inHeader = false;
  let opens = true;
  let above: string[] = [];
  for (const [at, raw] of lines.entries()) {
    const line = raw.replace(/^[\s#>]*(?=[|+])/, '').trimEnd();
    if (!line.startsWith('|') || /^\|[-=+|\s]*\|?$/.test(line)) {
      if (/^\|?\s*$/.test(line.replaceAll('|', '')) && inHeader) continue;
      inHeader = false;
      opens = true;
      if (!line.startsWith('+') && !line.startsWith('|')) {
        above.push(line);
        // Words between tables end the one above: what follows is another table's, or none.
        if (line.trim() !== '') table = null;
      }
      continue;
    }
    if (!line.endsWith('|') || line.length < 2) {
      cutLines.push(at + 1);
      opens = false;
      continue;
    }
    const cells = line.slice(1, -1).split('|');
    if (isHeaderRow(cells, inHeader)) {
      if (!inHeader || table === null) {
        table = { header: [], rows: [], above: above.slice(-40).join('\n') };
        tables.push(table);
        above = [];
      }
      table.header.push(cells.map(headerWords));
      inHeader = true;
    } else {
      inHeader = false;
      above.push(line);
      if (table !== null && table.rows.length < mostRows) table.rows.push({ cells, opens, line: at + 1 });
    }
    opens = false;
  }
  const row = table?.rows.at(-1)?.line;
  const isOpen = row !== undefined && endsInBox(lines, row);
  return { tables, cutLines, openLine: isOpen ? row : null };
}

/** A box is closed by a rule as wide as its rows (less where these have wide characters): a text that ends with a row, or with the beginning of a line, was cut off. */
function endsInBox(lines: readonly string[], lastRow: number): boolean {
  const last = lines.findLastIndex((line) => line.trim() !== '');
  const isStump = /^[|+]/.test(lines[last]!) && lines[last]!.trimEnd().length < lines[lastRow - 1]!.trim().length / 2;
  return last === lastRow - 1 || isStump;
}
