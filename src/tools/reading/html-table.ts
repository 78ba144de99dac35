import type { PipeTable } from './pipe-table.ts';

/** No document's table is longer. */
const mostChars = 400_000;
const mostSpan = 64;

interface Cell {
  text: string;
  down: number;
}

/** Collects `<table> … </table>` of a document line by line; merged cells stand in every row and column they cover. */
export class HtmlTableCollector {
  private text: string | null = null;
  private firstLine = 0;

  /** Takes the line if it belongs to a table. */
  feed(line: string, lineNumber: number): boolean {
    if (this.text === null) {
      const at = line.search(/<table\b/i);
      if (at === -1) return false;
      this.text = line.slice(at);
      this.firstLine = lineNumber;
      return true;
    }
    if (this.text.length <= mostChars) this.text += `\n${line}`;
    return true;
  }

  /** The table, once its end was read; starts anew. `over` = the document ends here or goes on without it. */
  take(over: boolean): PipeTable | null {
    const { text } = this;
    if (text === null || (!over && !/<\/table>/i.test(text))) return null;
    this.text = null;
    return tableOf(text, this.firstLine);
  }
}

function tableOf(text: string, firstLine: number): PipeTable | null {
  const rows: { line: number; cells: Cell[] }[] = [];
  let line = firstLine;
  let open: Cell[] = [];
  for (const [row] of text.matchAll(/<tr\b[\s\S]*?(?=<tr\b|<\/table>|$)|[\s\S]*?(?=<tr\b)/gi)) {
    if (/^<tr\b/i.test(row)) {
      open = cellsOf(row, open);
      if (open.length > 0) rows.push({ line, cells: open });
    }
    line += row.split('\n').length - 1;
  }
  const [head] = rows;
  if (head === undefined) return null;
  // A head of several rows: each column's name is all that stands above it.
  const deep = Math.min(rows.length, Math.max(...head.cells.map(({ down }) => down)));
  const header = head.cells.map((_, column) =>
    [...new Set(rows.slice(0, deep).map(({ cells }) => cells[column]?.text ?? ''))].join(' ').trim(),
  );
  const body = rows.slice(deep).map((row) => ({ line: row.line, cells: row.cells.map((cell) => cell.text) }));
  if (body.length === 0 || header.length < 2) return null;
  return {
    line: firstLine,
    header,
    rows: body.filter(({ cells }) => cells.length === header.length),
    raggedLines: body.filter(({ cells }) => cells.length !== header.length).map((row) => row.line),
  };
}

/** The cells of a row, with those of the row above that reach down into it. */
function cellsOf(row: string, above: readonly Cell[]): Cell[] {
  const cells: Cell[] = [];
  const reach = (): void => {
    for (let from = above[cells.length]; from !== undefined && from.down > 1; from = above[cells.length])
      cells.push({ text: from.text, down: from.down - 1 });
  };
  for (const [, attributes, inner] of row.matchAll(/<t[dh]\b([^>]*)>([\s\S]*?)(?=<t[dh]\b|<\/tr>|<\/t[dh]>|$)/gi)) {
    reach();
    const span = (name: string): number =>
      Math.min(
        mostSpan,
        Math.max(1, Number(new RegExp(`${name}\\s*=\\s*["']?(\\d+)`, 'i').exec(attributes!)?.[1] ?? 1)),
      );
    const [across, down] = [span('colspan'), span('rowspan')];
    for (let i = 0; i < across && cells.length < 1000; i++) cells.push({ text: plainText(inner!), down });
  }
  reach();
  return cells;
}

const entities: Readonly<Record<string, string>> = { nbsp: ' ', lt: '<', gt: '>', amp: '&', quot: '"' };

function plainText(html: string): string {
  const bare = html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&(nbsp|lt|gt|amp|quot);/g, (_, name: string) => entities[name]!);
  return bare.replaceAll(/\s+/g, ' ').trim();
}
