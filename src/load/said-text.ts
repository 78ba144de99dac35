import { charCount } from '../workload/index.ts';
import { ArrayPool } from './array-pool.ts';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const arrays = new ArrayPool<Uint8Array>(256, (length) => new Uint8Array(length));

/**
 * What an answer said, of one kind. Text that came as bytes stays bytes until somebody asks for it: decoding every piece
 * as it comes costs time in the loop that stamps reads, and ten thousand strings a second are work for the collector.
 */
export class SaidText {
  readonly #keep: boolean;
  #pieces: string[] = [];
  #bytes: Uint8Array | null = null;
  #length = 0;
  #chars = 0;

  /** keep = the text is wanted; otherwise its characters are only counted. */
  constructor(keep: boolean) {
    this.#keep = keep;
  }

  /** Adds UTF-8 bytes as they stand. */
  addBytes(buffer: Uint8Array, from: number, to: number): void {
    if (!this.#keep) {
      // Every byte but those that go on with a character begins one.
      for (let i = from; i < to; i++) if ((buffer[i]! & 0xc0) !== 0x80) this.#chars++;
      return;
    }
    const end = this.#length + to - from;
    if (this.#bytes === null || end > this.#bytes.length) this.#bytes = arrays.grow(this.#bytes, this.#length, end);
    const bytes = this.#bytes;
    for (let i = from, at = this.#length; i < to; i++, at++) bytes[at] = buffer[i]!;
    this.#length = end;
  }

  addText(text: string): void {
    if (!this.#keep) {
      this.#chars += charCount(text);
      return;
    }
    this.#decode();
    this.#pieces.push(text);
  }

  /** All that was said so far was this. */
  restate(text: string): void {
    this.#length = 0;
    this.#chars = 0;
    this.#pieces = [];
    this.addText(text);
  }

  /** The text, where it was kept. */
  text(): string {
    this.#decode();
    return this.#pieces.length === 1 ? this.#pieces[0]! : this.#pieces.join('');
  }

  /** Characters (code points) of `text`, which the caller has; or of all that was counted. */
  chars(text: string): number {
    return this.#keep ? charCount(text) : this.#chars;
  }

  #decode(): void {
    if (this.#length === 0) return;
    this.#pieces.push(decoder.decode(this.#bytes!.subarray(0, this.#length)));
    this.#length = 0;
  }

  /** Gives its memory to the next answer; what was said can not be asked for any more. */
  close(): void {
    if (this.#bytes !== null) arrays.give(this.#bytes);
    this.#bytes = null;
    this.#length = 0;
  }
}
