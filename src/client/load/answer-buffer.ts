import { charCount } from '../../inputs/workload/index.ts';
import { BlockPool, bytePage } from './block-pool.ts';

const store = new BlockPool(256, bytePage);
/** Where an answer is put together from its blocks, to be decoded; a longer one gets room of its own. */
const whole = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * What an answer said, of one kind. Text that came as bytes stays bytes until somebody asks for it: decoding every piece
 * as it comes costs time in the loop that stamps reads, and ten thousand strings a second are work for the collector.
 */
export class AnswerBuffer {
  #pieces: string[] = [];
  #blocks: number[] = [];
  /** Bytes that wait to be decoded. */
  #length = 0;
  #chars = 0;
  /** Length of all `#pieces`; V8 takes up to two bytes for each letter. */
  #letters = 0;

  /** keep = the text is wanted; otherwise its characters are only counted. */
  constructor(private keep: boolean) {}

  /** Adds UTF-8 bytes as they stand. */
  addBytes(buffer: Uint8Array, from: number, to: number): void {
    if (!this.keep) {
      // Every byte begins a character, except UTF-8's continuation bytes (10xxxxxx).
      for (let i = from; i < to; i++) if ((buffer[i]! & 0xc0) !== 0x80) this.#chars++;
      return;
    }
    for (let i = from; i < to;) {
      const used = this.#length % store.blockLength;
      const nth = (this.#length - used) / store.blockLength;
      if (nth === this.#blocks.length) this.#blocks.push(store.take());
      const block = this.#blocks[nth]!;
      const page = store.page(block);
      const end = Math.min(to, i + store.blockLength - used);
      this.#length += end - i;
      for (let at = store.start(block) + used; i < end; i++, at++) page[at] = buffer[i]!;
    }
  }

  addText(text: string): void {
    if (!this.keep) {
      this.#chars += charCount(text);
      return;
    }
    this.#decode();
    this.#pieces.push(text);
    this.#letters += text.length;
  }

  /** Memory that the text takes, about. */
  get bytes(): number {
    return this.#length + 2 * this.#letters;
  }

  /** Frees the text; its characters, and those that follow, are only counted. */
  forget(): void {
    if (!this.keep) return;
    this.#chars = charCount(this.text());
    this.keep = false;
    this.close();
  }

  /** Puts `text` in place of all that came before. */
  restate(text: string): void {
    this.#length = 0;
    this.#chars = 0;
    this.#pieces = [];
    this.#letters = 0;
    this.addText(text);
  }

  /** The text, where it was kept. */
  text(): string {
    this.#decode();
    return this.#pieces.length === 1 ? this.#pieces[0]! : this.#pieces.join('');
  }

  /** Characters (code points): those of `text`, which the caller got from `text()`, or as counted where none was kept. */
  chars(text: string): number {
    return this.keep ? charCount(text) : this.#chars;
  }

  #decode(): void {
    if (this.#length === 0) return;
    const into = this.#length > whole.length ? Buffer.allocUnsafeSlow(this.#length) : whole;
    let at = 0;
    for (const block of this.#blocks) {
      const page = store.page(block);
      const end = Math.min(this.#length, at + store.blockLength);
      // Byte by byte: for blocks as short as these a view of the page takes longer to make than its bytes to copy.
      for (let from = store.start(block); at < end; at++, from++) into[at] = page[from]!;
    }
    const text = into.toString('utf8', 0, at);
    this.#pieces.push(text);
    this.#letters += text.length;
    this.#length = 0;
  }

  /** Gives its memory to the next answer; what was said can not be asked for any more. */
  close(): void {
    for (const block of this.#blocks) store.give(block);
    this.#blocks = [];
    this.#length = 0;
    this.#pieces = [];
    this.#letters = 0;
  }
}
