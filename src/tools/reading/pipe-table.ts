import { isHeadWord } from './table-words.ts';

/** A markdown table: its cells as text, with the line each row stands on. */
export interface PipeTable {
  line: number;
  header: string[];
  rows: { line: number; cells: string[] }[];
  /** Lines of rows whose number of cells differs from the header's: they cannot be trusted and are not in rows. */
  raggedLines: number[];
  /** Where the rows begin that a table is too long for; absent = all of them are there. */
  cutAtLine?: number;
}

const separatorCell = /^\s*:?-+:?\s*$/;
/** A table longer than this is data of another kind. */
const mostRows = 5000;

/** Collects the rows of one markdown table line by line. */
export class PipeTableCollector {
  private lines: { line: number; cells: string[] }[] = [];
  private separated = false;
  private cutAtLine: number | null = null;

  /** Takes the line if it belongs to a table; false = it does not, and what was collected is complete. */
  feed(raw: string, line: number): boolean {
    const text = raw.includes('|') ? raw : raw.replaceAll('｜', '|');
    if (!text.includes('|') || text.length > 20_000) return false;
    const cells = splitCells(text);
    if (cells.length < 2 && this.lines.length === 0) return false;
    if (this.lines.length > mostRows) {
      this.cutAtLine ??= line;
      return true;
    }
    if (this.lines.length === 1 && !this.separated && cells.every((cell) => separatorCell.test(cell))) {
      this.separated = true;
      return true;
    }
    // Two pipe lines without a separator between them are text, not a table, unless the first is a head of results:
    // otherwise only the newest is kept, as a header.
    const [head] = this.lines;
    if (head !== undefined && head.cells.length === cells.length && isHeadWord(head.cells[0]!)) this.separated = true;
    if (!this.separated) this.lines = [];
    this.lines.push({ line, cells });
    return true;
  }

  get open(): boolean {
    return this.lines.length > 0;
  }

  /** The table collected so far, or null; starts anew. */
  take(): PipeTable | null {
    const { lines, separated, cutAtLine } = this;
    this.lines = [];
    this.separated = false;
    this.cutAtLine = null;
    const [head, ...body] = lines;
    if (head === undefined || !separated || body.length === 0) return null;
    const rows = body.filter((row) => row.cells.length === head.cells.length);
    const raggedLines = body.filter((row) => row.cells.length !== head.cells.length).map((row) => row.line);
    return { line: head.line, header: head.cells, rows, raggedLines, ...(cutAtLine !== null && { cutAtLine }) };
  }
}

function splitCells(text: string): string[] {
  let inner = text.trim();
  if (inner.startsWith('|')) inner = inner.slice(1);
  if (inner.endsWith('|') && !inner.endsWith('\\|')) inner = inner.slice(0, -1);
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim());
}
