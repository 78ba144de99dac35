import { UserError } from '../../core/index.ts';
import { lineTooLong, notUtf8 } from './dataset-mistakes.ts';
import { brokenPack, csvBroken } from './layout-mistakes.ts';
import type { DataFile } from './file-bytes.ts';
import { maxLineMiB } from './line-reader.ts';
import type { RawRecord } from './record.ts';
import { BrokenPack, readContent } from './unpack.ts';

/** The rows of a CSV file (RFC 4180, comma, first row the names) as objects of texts; a row may span lines. */
export async function* readCsv(file: DataFile, onRaw?: (bytes: Buffer) => void): AsyncGenerator<RawRecord[]> {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  const rows = new RowCutter(file.shown);
  const decode = (bytes?: Buffer): string => {
    try {
      return bytes === undefined ? utf8.decode() : utf8.decode(bytes, { stream: true });
    } catch {
      throw new UserError(notUtf8({ file: file.shown, line: rows.line }));
    }
  };
  try {
    for await (const chunk of readContent(file, onRaw)) {
      const made = rows.add(decode(chunk));
      if (made.length > 0) yield made;
    }
  } catch (error) {
    throw error instanceof BrokenPack
      ? new UserError(brokenPack({ file: file.shown, line: rows.line }, error.packing, error.truncated))
      : error;
  }
  rows.add(decode());
  const last = rows.end();
  if (last.length > 0) yield last;
}

/** A stretch that holds nothing of CSV; a quote within it is a letter. */
const plainRun = /[^,\r\n][^",\r\n]*/y;
/** What a field takes however empty it is. */
const fieldSize = 16;
const mostPieces = 1_000_000;

class RowCutter {
  line = 1;
  #names: string[] | null = null;
  #row: string[] = [];
  #field = '';
  /** Letters of the row under way, and what its fields take beside them. */
  #rowSize = 0;
  #pieces = 0;
  #quoted = false;
  /** A quote inside a quoted field: it ends the field unless another follows. */
  #closing = false;
  #startLine = 1;

  constructor(private readonly shown: string) {}

  add(text: string): RawRecord[] {
    const made: RawRecord[] = [];
    for (let at = 0; at < text.length;) {
      if (this.#quoted && !this.#closing) {
        const end = text.indexOf('"', at);
        const plain = text.slice(at, end === -1 ? text.length : end);
        this.line += plain.split('\n').length - 1;
        this.#take(plain);
        this.#closing = end !== -1;
        at += plain.length + 1;
        continue;
      }
      const char = text[at]!;
      if (this.#closing && char === '"') {
        this.#take('"');
        this.#closing = false;
      } else if (char === ',') this.#endField();
      else if (char === '\n') {
        this.line += 1;
        this.#endRow(made);
      } else if (char === '\r') {
        // Half a line end.
      } else if (this.#closing) throw new UserError(csvBroken({ file: this.shown, line: this.line }, 'quote', 0, 0));
      else if (char === '"' && this.#field === '') this.#quoted = true;
      else {
        plainRun.lastIndex = at;
        const [plain] = plainRun.exec(text)!;
        this.#take(plain);
        at += plain.length - 1;
      }
      at += 1;
    }
    return made;
  }

  end(): RawRecord[] {
    if (this.#quoted && !this.#closing) {
      throw new UserError(csvBroken({ file: this.shown, line: this.#startLine }, 'open', 0, 0));
    }
    const made: RawRecord[] = [];
    if (this.#field !== '' || this.#row.length > 0) this.#endRow(made);
    return made;
  }

  /** A text that grew out of many pieces takes thirty times its length until it is copied into one. */
  #take(plain: string): void {
    this.#field += plain;
    if (++this.#pieces % mostPieces === 0) this.#field = Buffer.from(this.#field, 'utf16le').toString('utf16le');
    this.#grow(plain.length);
  }

  #grow(by: number): void {
    this.#rowSize += by;
    if (this.#rowSize > maxLineMiB * 1024 * 1024)
      throw new UserError(lineTooLong({ file: this.shown, line: this.#startLine }, maxLineMiB));
  }

  #endField(): void {
    this.#row.push(this.#field);
    this.#grow(fieldSize);
    this.#field = '';
    this.#quoted = this.#closing = false;
  }

  #endRow(made: RawRecord[]): void {
    this.#endField();
    const row = this.#row;
    const number = this.#startLine;
    this.#row = [];
    this.#rowSize = 0;
    this.#startLine = this.line;
    if (row.length === 1 && row[0] === '') return;
    if (this.#names === null) {
      this.#names = row.map((name, i) => (i === 0 ? name.replace(/^\uFEFF/, '') : name).trim());
      return;
    }
    if (row.length !== this.#names.length) {
      throw new UserError(csvBroken({ file: this.shown, line: number }, 'columns', row.length, this.#names.length));
    }
    // A name such as __proto__ is a column like any other.
    const value: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
    for (const [i, name] of this.#names.entries()) value[name] = row[i];
    made.push({ number, value });
  }
}
