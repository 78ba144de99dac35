import type { Phrase } from '../../core/index.ts';
import type { CsvFormat } from './file-format.ts';
import type { CsvRow } from './csv-text.ts';
import type { Complain } from './imported.ts';
import type { JsonFormat } from './file-format.ts';
import { JsonNumber } from './json-text.ts';
import type { JsonValue } from './json-text.ts';
import type { PipeTable } from './pipe-table.ts';
import { isLoadWord, pointsOfTable } from './sweep-table.ts';

const mostColumns = 200;
const mostPoints = 5000;

/** Somebody's own sweep as CSV: one row per load, the first column the concurrency or the rate, names as in a markdown table. */
export const tableCsv: CsvFormat = {
  tool: 'table',
  matches: ([head]) => head !== undefined && head.cells.length > 1 && isLoadWord(head.cells[0]!),
  read: (rows, complain) => {
    const [head, ...body] = rows as [CsvRow, ...CsvRow[]];
    return pointsOfTable(tableOfRows(head, firstOf(body, mostPoints, rowWords, complain)), complain);
  },
};

function tableOfRows({ line, cells: header }: CsvRow, body: readonly CsvRow[]): PipeTable {
  const rows = body.filter((row) => row.cells.length === header.length);
  const raggedLines = body.filter((row) => row.cells.length !== header.length).map((row) => row.line);
  return { line, header, rows, raggedLines };
}

const rowWords: Phrase = { en: 'rows', zh: '行' };
const memberWords: Phrase = { en: 'different names', zh: '个不同的字段' };

/** The first so many; that there are more is told. */
function firstOf<T>(all: readonly T[], most: number, of: Phrase, complain: Complain): T[] {
  if (all.length > most)
    complain(0, {
      en: `more than ${most} ${of.en}: the rest is left out`,
      zh: `超过 ${most} ${of.zh}，其余已忽略`,
    });
  return all.slice(0, most);
}

/** The same as a JSON list of flat objects, or one object per line. */
export const tableJson: JsonFormat = {
  tool: 'table',
  matches(value) {
    const [first] = Array.isArray(value) ? value : [value];
    return first instanceof Map && [...first.keys()].some((key) => isLoadWord(key));
  },
  read(values, complain) {
    const all = values.flatMap((value) => (Array.isArray(value) ? value : [value]));
    const points = firstOf(
      all.filter((value) => value instanceof Map),
      mostPoints,
      rowWords,
      complain,
    );
    const load = [...points[0]!.keys()].find((key) => isLoadWord(key))!;
    // What only some points tell is told too.
    const keys = new Set([load, ...points.flatMap((point) => [...point.keys()])]);
    const header = firstOf([...keys], mostColumns, memberWords, complain);
    const rows = points.map((point) => ({
      line: lineOf(point.get(load)),
      cells: header.map((key) => textOf(point.get(key))),
    }));
    return pointsOfTable({ line: 1, header, rows, raggedLines: [] }, complain);
  },
};

function textOf(value: JsonValue | undefined): string {
  if (value instanceof JsonNumber) return value.digits;
  return typeof value === 'string' ? value : '';
}

function lineOf(value: JsonValue | undefined): number {
  return value instanceof JsonNumber ? value.line : 1;
}
