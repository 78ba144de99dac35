import { printable } from '../../core/index.ts';
import { means, normalLabel } from './fact-key.ts';
import type { Meaning } from './fact-key.ts';
import { raggedRow } from './imported.ts';
import type { Complain } from './imported.ts';
import { readNumber } from './number-text.ts';
import type { NumberText } from './number-text.ts';
import type { PipeTable } from './pipe-table.ts';
import { PointDraft } from './point-draft.ts';
import { engineIn, withoutEngine } from './surroundings.ts';
import {
  cleanCell,
  concurrencyWords,
  cornerWords,
  identityOf,
  lengthSide,
  meaningOf,
  rateWords,
} from './table-words.ts';

/** Whether a column of this name says which load a row was measured at. */
export function isLoadWord(cell: string): boolean {
  return loadOf(cell) !== null;
}

function loadOf(cell: string): Meaning | null {
  const label = normalLabel(cleanCell(cell));
  if (concurrencyWords.has(label)) return means('load.concurrency');
  return rateWords.has(label) ? means('load.ratePerSec') : null;
}

/**
 * The load points a table holds: metrics as rows with one column per load (`| 指标 | 8 | 16 |`), one row per point, or the
 * matrix of one figure over two lengths. `about` = the words above the table, where a matrix has its figure's name.
 * Any other table gives nothing, and says so where it looks like results.
 */
export function pointsOfTable(table: PipeTable, complain: Complain, about = ''): PointDraft[] {
  const drafts =
    pointsOfMatrix(table, about, complain) ?? pointsByColumn(table, complain) ?? pointsByRow(table, complain) ?? [];
  if (drafts.length === 0) {
    if (looksLikeResults(table))
      complain(table.line, {
        en: `a table of figures whose names are not known here was left out: ${namesOf(table).en}`,
        zh: `表格中的指标名称无法识别，未导入：${namesOf(table).zh}`,
      });
    return drafts;
  }
  for (const line of table.raggedLines) complain(line, raggedRow.leftOutOfTable);
  if (table.cutAtLine !== undefined)
    complain(table.cutAtLine, {
      en: 'the table is too long: the rest is left out',
      zh: '表格过长：其余行已忽略',
    });
  return drafts;
}

/** Most cells beside the first column are figures, and there is a load or a corner of metrics. */
function looksLikeResults({ header, rows }: PipeTable): boolean {
  const cells = rows.flatMap((row) => row.cells.slice(1).map(cleanCell));
  const figures = cells.filter((cell) => readNumber(cell) !== null).length;
  return rows.length > 0 && header.length > 1 && figures >= 4 && figures > 0.6 * cells.length;
}

function namesOf({ header, rows }: PipeTable): { en: string; zh: string } {
  const columns = header.every((cell, i) => i === 0 || readNumber(cleanCell(cell)) !== null)
    ? rows.map(({ cells }) => cells[0]!)
    : header;
  const names = columns.slice(0, 8).map((cell) => printable(cleanCell(cell)).slice(0, 30));
  return { en: names.join(', '), zh: names.join('、') };
}

function leftOut(cell: string, line: number, complain: Complain): void {
  const shown = printable(cleanCell(cell)).slice(0, 40);
  if (shown === '' || /^-+$/.test(shown)) return;
  complain(line, {
    en: `"${shown}" is no figure that is known here: left out`,
    zh: `"${shown}" 不是已知的指标，已忽略`,
  });
}

/** "8", "并发8", "parallel = 16", "32并发": a column's load. */
function columnLoad(cell: string): NumberText | null {
  const text = cleanCell(cell);
  const bare =
    /^(?:并发数?|并行数?|concurrency|parallels?|conc|c|bs|batch size)\s*[=:：]?\s*(\d+)$/i.exec(text)?.[1] ??
    /^(\d+)\s*(?:并发|路)$/.exec(text)?.[1];
  const load = readNumber(bare ?? text);
  return load !== null && load.unit === '' && load.value > 0 ? load : null;
}

function pointsByColumn(table: PipeTable, complain: Complain): PointDraft[] | null {
  const corner = normalLabel(cleanCell(table.header[0] ?? ''));
  const loads = table.header.slice(1).map(columnLoad);
  const numbered = loads.length > 0 && loads.every((load) => load !== null);
  if (!numbered && !cornerWords.has(corner)) return null;
  const told = table.rows.map((row) => ({ row, meaning: meaningOf(row.cells[0]!) }));
  const rows = told.flatMap(({ row, meaning }) => (meaning === null ? [] : [{ row, meaning }]));
  if (rows.length === 0 || (!numbered && rows.length < 2)) return null;
  for (const { row, meaning } of told) if (meaning === null) leftOut(row.cells[0]!, row.line, complain);
  return loads.map((load, column) => {
    const draft = new PointDraft('table', table.line, 'table');
    if (numbered && load !== null) {
      draft.put(rateWords.has(corner) ? means('load.ratePerSec') : means('load.concurrency'), {
        value: load.value,
        digits: load.digits,
        line: table.line,
      });
      draft.kind = rateWords.has(corner) ? 'open' : 'closed';
    } else {
      draft.label = printable(table.header[column + 1]!).slice(0, 200);
      draft.variant = draft.label;
    }
    for (const { row, meaning } of rows) draft.putText(meaning, cleanCell(row.cells[column + 1]!), row.line, complain);
    return draft;
  });
}

/** What a column of a table with one row per point tells of the point. */
type Column =
  | { as: 'load'; meaning: Meaning }
  /** `of`: the engine in the column's name, where a table sets engines beside each other. */
  | { as: 'figure'; meaning: Meaning; of: string | null }
  | { as: 'model' | 'engine' | 'variant' | 'input' | 'output' }
  | { as: 'unknown' };

function columnsOf(table: PipeTable): Column[] {
  const sides = table.header.map((cell) => lengthSide(cell));
  const grid = sides.includes('input') && sides.includes('output');
  const loaded = table.header.some(isLoadWord);
  return table.header.map((cell, i): Column => {
    const load = loadOf(cell);
    if (load !== null) return { as: 'load', meaning: load };
    const side = sides[i];
    // Of two lengths beside each other both were asked for; one alone is what came out.
    if (grid && side !== null && side !== undefined) return { as: side };
    const meaning = meaningOf(cell);
    if (meaning !== null) return { as: 'figure', meaning, of: null };
    const identity = identityOf(cell);
    // Rows that nothing but their first cell tells apart are called by it.
    if (identity !== null && (i > 0 || loaded || grid)) return { as: identity };
    const engine = engineIn(cell);
    const figure = engine === null ? null : meaningOf(withoutEngine(cell));
    if (figure !== null) return { as: 'figure', meaning: figure, of: engine };
    return { as: i === 0 ? 'variant' : 'unknown' };
  });
}

function pointsByRow(table: PipeTable, complain: Complain): PointDraft[] | null {
  const columns = columnsOf(table);
  const has = (as: Column['as']): boolean => columns.some((column) => column.as === as);
  const known = columns.filter((column) => column.as === 'figure').length;
  if (known < (has('load') || has('input') ? 1 : 2)) return null;
  columns.forEach((column, i) => {
    if (column.as === 'unknown') leftOut(table.header[i]!, table.line, complain);
  });
  const engines = new Set(columns.flatMap((column) => (column.as === 'figure' ? [column.of] : [])));
  const drafts = [...engines].flatMap((engine) => rowsOf(table, columns, engine, complain));
  return drafts.length === 0 ? null : drafts;
}

/** The points of one engine of a table that has several side by side, or of the only one. */
function rowsOf(table: PipeTable, columns: readonly Column[], engine: string | null, complain: Complain): PointDraft[] {
  const above = new Map<number, string>();
  return table.rows.flatMap((row) => {
    const draft = new PointDraft('table', row.line, 'table');
    draft.engine = engine;
    columns.forEach((column, i) => {
      const own = cleanCell(row.cells[i]!);
      if (column.as === 'figure' && column.of === engine) draft.putText(column.meaning, own, row.line, complain);
      if (column.as === 'figure' || column.as === 'unknown') return;
      // A cell that was merged with the one above it is empty.
      const cell = own === '' ? (above.get(i) ?? '') : own;
      above.set(i, cell);
      if (cell !== '') putIdentity(draft, column, cell, row.line, complain);
    });
    if (draft.get('load.concurrency') !== null) draft.kind = 'closed';
    else if (draft.get('load.ratePerSec') !== null) draft.kind = 'open';
    return [...draft.facts.keys()].some((key) => !key.startsWith('load.')) ? [draft] : [];
  });
}

function putIdentity(draft: PointDraft, column: Column, cell: string, line: number, complain: Complain): void {
  const name = printable(cell).slice(0, 200);
  if (column.as === 'load') draft.putText(column.meaning, cell, line, complain);
  else if (column.as === 'model') draft.model = name;
  else if (column.as === 'engine') draft.engine = engineIn(name) ?? name;
  else if (column.as === 'input' || column.as === 'output')
    draft.asked = { input: draft.asked?.input ?? null, output: draft.asked?.output ?? null, [column.as]: name };
  else {
    draft.label = name;
    draft.variant = name;
  }
}

/** `| 输入\输出 | 128 | 256 |`: one figure over input lengths (rows) and output lengths (columns), or the other way round. */
function pointsOfMatrix({ header, rows }: PipeTable, about: string, complain: Complain): PointDraft[] | null {
  const [first, second] = cleanCell(header[0] ?? '').split(/\s*[\\/／＼]\s*/);
  const [down, across] = [lengthSide(first ?? ''), lengthSide(second ?? '')];
  const lengths = header.slice(1).map(columnLoad);
  if (down === null || across === null || down === across || lengths.some((length) => length === null)) return null;
  const meaning = about
    .split(/[\s()（）:：,，]+/)
    .map((word) => meaningOf(word))
    .find((one) => one !== null);
  if (meaning === undefined || meaning === null) return null;
  return rows.flatMap((row) =>
    lengths.flatMap((length, i) => {
      const draft = new PointDraft('table', row.line, 'table');
      const digits = readNumber(cleanCell(row.cells[0]!))?.digits;
      if (digits === undefined) return [];
      draft.asked = { input: null, output: null, [down]: digits, [across]: length!.digits };
      draft.putText(meaning, cleanCell(row.cells[i + 1]!), row.line, complain);
      return draft.facts.size === 0 ? [] : [draft];
    }),
  );
}
