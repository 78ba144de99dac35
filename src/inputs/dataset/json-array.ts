import { UserError } from '../../core/index.ts';
import { lineTooLong } from './dataset-mistakes.ts';
import { arrayBroken, brokenPack } from './layout-mistakes.ts';
import type { DataFile } from './file-bytes.ts';
import { maxLineMiB } from './line-reader.ts';
import type { RawLine } from './line-reader.ts';
import { BrokenPack, readContent } from './unpack.ts';

const [quote, backslash, comma, newline] = [0x22, 0x5c, 0x2c, 0x0a];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The elements of a file that is one JSON array, one by one, however large the file; each with the line it begins on. */
export async function* readArray(file: DataFile, onRaw?: (bytes: Buffer) => void): AsyncGenerator<RawLine[]> {
  const cutter = new ElementCutter(file.shown);
  try {
    for await (const chunk of readContent(file, onRaw)) {
      const elements = cutter.add(chunk);
      if (elements.length > 0) yield elements;
    }
  } catch (error) {
    throw error instanceof BrokenPack
      ? new UserError(brokenPack({ file: file.shown, line: cutter.line }, error.packing, error.truncated))
      : error;
  }
  cutter.end();
}

/** Finds where elements begin and end by counting brackets outside strings; what is inside is the parser's business. */
class ElementCutter {
  line = 1;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #over = false;
  /** Pieces of the element under way; null = none. */
  #pieces: Buffer[] | null = null;
  #pieceBytes = 0;
  #startLine = 1;
  /** Elements that began on that line before the one under way. */
  #after = 0;
  #begun = false;

  constructor(private readonly shown: string) {}

  add(chunk: Buffer): RawLine[] {
    const elements: RawLine[] = [];
    let from = 0;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i]!;
      if (byte === newline) this.line += 1;
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === backslash) this.#escaped = true;
        else if (byte === quote) this.#inString = false;
        continue;
      }
      if (byte <= 0x20 || (this.#depth === 0 && byte >= 0xbb)) continue;
      if (this.#over) throw this.#broken('after-end');
      if (this.#depth === 0 && byte !== openBracket) throw this.#broken('no-array');
      if (this.#depth === 1 && (byte === comma || byte === closeBracket)) {
        if (this.#pieces !== null) elements.push(this.#element(chunk.subarray(from, i)));
        if (byte === closeBracket) {
          this.#depth = 0;
          this.#over = true;
        }
        continue;
      }
      if (this.#depth >= 1 && this.#pieces === null) {
        this.#pieces = [];
        this.#after = this.#begun && this.#startLine === this.line ? this.#after + 1 : 0;
        this.#begun = true;
        this.#startLine = this.line;
        from = i;
      }
      if (byte === quote) this.#inString = true;
      else if (byte === openBracket || byte === openBrace) this.#depth += 1;
      else if (byte === closeBracket || byte === closeBrace) this.#depth -= 1;
    }
    if (this.#pieces !== null) {
      this.#pieces.push(chunk.subarray(from));
      this.#pieceBytes += chunk.length - from;
      if (this.#pieceBytes > maxLineMiB * 1024 * 1024) {
        throw new UserError(lineTooLong({ file: this.shown, line: this.#startLine }, maxLineMiB));
      }
    }
    return elements;
  }

  /** The file is over; an array that is not is cut off. */
  end(): void {
    if (!this.#over) throw this.#broken('cut-off');
  }

  #element(last: Buffer): RawLine {
    const bytes = this.#pieces!.length === 0 ? last : Buffer.concat([...this.#pieces!, last]);
    this.#pieces = null;
    this.#pieceBytes = 0;
    return { number: this.#startLine, bytes, ...(this.#after > 0 && { after: this.#after }) };
  }

  #broken(how: 'after-end' | 'no-array' | 'cut-off'): UserError {
    return new UserError(arrayBroken({ file: this.shown, line: this.line }, how));
  }
}
