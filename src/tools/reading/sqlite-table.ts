/** A value of an SQLite record; blobs are left out as null. */
export type SqliteValue = number | string | null;

/** What is wrong with a database file. */
export class SqliteMistake extends Error {}

const header = 'SQLite format 3\u0000';
const utf8 = new TextDecoder('utf-8', { fatal: false });

/** Whether bytes begin as an SQLite 3 database does. */
export function isSqlite(bytes: Uint8Array): boolean {
  return bytes.length >= 100 && [...header].every((char, i) => bytes[i] === char.charCodeAt(0));
}

/**
 * The rows of one table of an SQLite 3 database that is handed in whole, by column name. Reads the b-tree of an ordinary
 * (rowid) table, overflow pages included: https://www.sqlite.org/fileformat2.html. Every page is visited at most once, so
 * a damaged or hostile file ends in SqliteMistake, never in a loop.
 */
export function* sqliteRows(bytes: Uint8Array, table: string): Generator<Map<string, SqliteValue>> {
  const file = new SqliteFile(bytes);
  for (const record of file.records(1)) {
    const [type, name, , root, sql] = record;
    if (type !== 'table' || name !== table || typeof root !== 'number' || typeof sql !== 'string') continue;
    const columns = columnsOf(sql);
    for (const row of file.records(root)) yield new Map(columns.map((column, i) => [column, row[i] ?? null]));
    return;
  }
  throw new SqliteMistake(`no table "${table}"`);
}

class SqliteFile {
  private readonly bytes: Uint8Array;
  private readonly view: DataView;
  private readonly pageSize: number;
  private readonly usable: number;
  private readonly visited = new Set<number>();

  constructor(bytes: Uint8Array) {
    if (!isSqlite(bytes)) throw new SqliteMistake('not an SQLite 3 database');
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const size = this.view.getUint16(16);
    this.pageSize = size === 1 ? 65536 : size;
    this.usable = this.pageSize - bytes[20]!;
    if (this.pageSize < 512 || (this.pageSize & (this.pageSize - 1)) !== 0 || this.usable < 480)
      throw new SqliteMistake('page size is not valid');
    if (this.view.getUint32(56) !== 1) throw new SqliteMistake('text is not UTF-8');
  }

  private pageStart(page: number): number {
    const start = (page - 1) * this.pageSize;
    if (page < 1 || start + this.pageSize > this.bytes.length)
      throw new SqliteMistake(`page ${page} is outside the file`);
    if (this.visited.has(page)) throw new SqliteMistake(`page ${page} is used twice`);
    this.visited.add(page);
    return start;
  }

  /** Records of the table b-tree below a page, in rowid order. */
  *records(root: number): Generator<SqliteValue[]> {
    const open = [root];
    while (open.length > 0) {
      const page = open.pop()!;
      const start = this.pageStart(page);
      const at = page === 1 ? start + 100 : start;
      const kind = this.bytes[at];
      const cells = this.view.getUint16(at + 3);
      if (kind === 5) {
        const children = this.cellOffsets(at + 12, cells, start).map((cell) => this.view.getUint32(cell));
        open.push(this.view.getUint32(at + 8), ...children.toReversed());
      } else if (kind === 13) {
        for (const cell of this.cellOffsets(at + 8, cells, start)) yield this.record(this.payload(cell));
      } else throw new SqliteMistake(`page ${page} is not part of a table`);
    }
  }

  private cellOffsets(at: number, count: number, start: number): number[] {
    const offsets: number[] = [];
    if (at + count * 2 > start + this.pageSize) throw new SqliteMistake('cell array leaves its page');
    for (let i = 0; i < count; i++) {
      const offset = this.view.getUint16(at + i * 2);
      if (offset >= this.usable - 3) throw new SqliteMistake('cell leaves its page');
      offsets.push(start + offset);
    }
    return offsets;
  }

  private payload(cell: number): Uint8Array {
    const [size, afterSize] = this.varint(this.bytes, cell);
    const [, start] = this.varint(this.bytes, afterSize);
    if (size > this.bytes.length) throw new SqliteMistake('record larger than the file');
    const most = this.usable - 35;
    if (size <= most) return this.slice(start, size);
    const least = Math.floor(((this.usable - 12) * 32) / 255) - 23;
    const spill = least + ((size - least) % (this.usable - 4));
    const local = spill <= most ? spill : least;
    const whole = new Uint8Array(size);
    whole.set(this.slice(start, local));
    let at = local;
    let next = this.view.getUint32(start + local);
    while (at < size) {
      const page = this.pageStart(next);
      const part = Math.min(this.usable - 4, size - at);
      whole.set(this.slice(page + 4, part), at);
      at += part;
      next = this.view.getUint32(page);
    }
    return whole;
  }

  private slice(start: number, size: number): Uint8Array {
    if (start + size > this.bytes.length) throw new SqliteMistake('record leaves the file');
    return this.bytes.subarray(start, start + size);
  }

  private record(payload: Uint8Array): SqliteValue[] {
    const [headerSize, first] = this.varint(payload, 0);
    if (headerSize > payload.length) throw new SqliteMistake('record header leaves its record');
    const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
    const values: SqliteValue[] = [];
    let at = headerSize;
    for (let head = first; head < headerSize;) {
      const [type, next] = this.varint(payload, head);
      head = next;
      const size = type >= 12 ? Math.floor((type - 12) / 2) : [0, 1, 2, 3, 4, 6, 8, 8, 0, 0][type]!;
      if (size === undefined || at + size > payload.length) throw new SqliteMistake('column leaves its record');
      values.push(valueOf(view, payload, type, at, size));
      at += size;
    }
    return values;
  }

  private varint(bytes: Uint8Array, start: number): [value: number, next: number] {
    let value = 0;
    for (let at = start; ; at++) {
      const byte = bytes[at];
      if (byte === undefined) throw new SqliteMistake('number leaves the file');
      // The ninth byte is the last, and whole.
      if (at === start + 8) return [value * 256 + byte, at + 1];
      value = value * 128 + (byte & 127);
      if (byte < 128) return [value, at + 1];
    }
  }
}

function valueOf(view: DataView, bytes: Uint8Array, type: number, at: number, size: number): SqliteValue {
  if (type === 0) return null;
  if (type === 7) return view.getFloat64(at);
  if (type === 8 || type === 9) return type - 8;
  if (type >= 1 && type <= 6) {
    let value = (bytes[at]! << 24) >> 24;
    for (let i = 1; i < size; i++) value = value * 256 + bytes[at + i]!;
    return value;
  }
  return type >= 13 && type % 2 === 1 ? utf8.decode(bytes.subarray(at, at + size)) : null;
}

/** Column names of a CREATE TABLE statement, in order. */
function columnsOf(sql: string): string[] {
  const inner = sql.slice(sql.indexOf('(') + 1, sql.lastIndexOf(')'));
  return inner.split(',').map((part) => /^[\s"'`[]*(\w+)/.exec(part)?.[1] ?? '');
}
