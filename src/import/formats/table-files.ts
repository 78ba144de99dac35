import type { CsvFormat } from '../csv-format.ts';
import type { CsvRow } from '../csv-text.ts';
import type { JsonFormat } from '../json-format.ts';
import { JsonNumber } from '../json-text.ts';
import type { JsonValue } from '../json-text.ts';
import type { PipeTable } from '../pipe-table.ts';
import { isLoadWord, pointsOfTable } from '../sweep-table.ts';

const mostColumns = 200;
const mostPoints = 5000;

/** Somebody's own sweep as CSV: one row per load, the first column the concurrency or the rate, names as in a markdown table. */
export const tableCsv: CsvFormat = {
  tool: 'table',
  matches: ([head]) => head !== undefined && head.cells.length > 1 && isLoadWord(head.cells[0]!),
  read: (rows, complain) => pointsOfTable(tableOfRows(rows), complain),
};

function tableOfRows([head, ...body]: readonly CsvRow[]): PipeTable {
  const header = head!.cells;
  const rows = body.slice(0, mostPoints).filter((row) => row.cells.length === header.length);
  const raggedLines = body.filter((row) => row.cells.length !== header.length).map((row) => row.line);
  return { line: head!.line, header, rows, raggedLines };
}

/** The same as a JSON list of flat objects, or one object per line. */
export const tableJson: JsonFormat = {
  tool: 'table',
  matches(value) {
    const [first] = Array.isArray(value) ? value : [value];
    return first instanceof Map && [...first.keys()].some((key) => isLoadWord(key));
  },
  read(values, complain) {
    const points = values
      .flatMap((value) => (Array.isArray(value) ? value : [value]))
      .filter((value) => value instanceof Map)
      .slice(0, mostPoints);
    const keys = [...points[0]!.keys()];
    const load = keys.find((key) => isLoadWord(key))!;
    const header = [load, ...keys.filter((key) => key !== load)].slice(0, mostColumns);
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
