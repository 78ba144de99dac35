import type { Phrase } from '../../../core/index.ts';
import { readCell } from './box-cell.ts';
import type { ColumnKind, HeaderWord } from './box-columns.ts';
import type { BoxRow, BoxTable } from './box-table.ts';

/** One record of a table that has several header lines: what was found, by kind; the first telling of a kind counts. */
export interface BoxRecord {
  values: Map<ColumnKind, string>;
  line: number;
}

interface ReadRow {
  values: Map<ColumnKind, string>;
  clean: boolean;
  cellsMatch: boolean;
}

function readRow(row: BoxRow, header: readonly HeaderWord[][]): ReadRow {
  if (row.cells.length !== header.length) return { values: new Map(), clean: false, cellsMatch: false };
  const values = new Map<ColumnKind, string>();
  let clean = true;
  for (const [at, cell] of row.cells.entries()) {
    const read = readCell(cell, header[at]!);
    clean &&= read.clean;
    for (const [kind, text] of read.values) if (!values.has(kind)) values.set(kind, text);
  }
  return { values, clean, cellsMatch: true };
}

/**
 * Puts the rows of a table together: a record has one row for each header line. A row is taken for the header line it
 * looks like, so that a missing row costs its own values and never shifts those of others.
 */
export function boxRecords(table: BoxTable, warn: (phrase: Phrase) => void): BoxRecord[] {
  const records: BoxRecord[] = [];
  const height = table.header.length;
  let open: { record: BoxRecord; next: number } | null = null;
  const close = (): void => {
    if (open !== null && open.next < height) warn(missingRow(open.record.line));
    open = null;
  };
  for (const row of table.rows) {
    if (isRemark(row)) continue;
    if (row.opens) close();
    const expected: number = (open as { next: number } | null)?.next ?? 0;
    const reads = table.header.map((header) => readRow(row, header));
    const likely = reads[expected]?.clean === true ? expected : reads.findIndex((read) => read.clean);
    const at = likely === -1 ? Math.min(expected, height - 1) : likely;
    const read = reads[at]!;
    if (likely === -1) warn(oddRow(row.line));
    if (!read.cellsMatch && likely === -1) continue;
    if (at !== expected) close();
    if (open === null) {
      if (at !== 0) warn(missingRow(row.line));
      open = { record: { values: new Map(), line: row.line }, next: 0 };
      records.push(open.record);
    }
    for (const [kind, text] of read.values) if (!open.record.values.has(kind)) open.record.values.set(kind, text);
    open.next = at + 1;
    if (open.next >= height) open = null;
  }
  close();
  return records.filter((record) => record.values.size > 0);
}

/** "No running processes found", "Process:" and other rows of one cell that say something in words. */
function isRemark(row: BoxRow): boolean {
  return row.cells.length === 1 && (/^\D*$/.test(row.cells[0]!) || /no (?:running )?process/i.test(row.cells[0]!));
}

function missingRow(line: number): Phrase {
  return {
    en: `line ${line}: a row of this card is missing; what it would say is unknown`,
    zh: `第 ${line} 行：该卡缺少一行，对应的值未知`,
  };
}

function oddRow(line: number): Phrase {
  return {
    en: `line ${line}: does not match the header; only values beyond doubt were taken`,
    zh: `第 ${line} 行：与表头不符，只采用了确定无疑的值`,
  };
}
