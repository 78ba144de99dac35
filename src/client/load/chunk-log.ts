import { outputKindLetters } from '../../core/index.ts';
import type { Chunks, OutputKind } from '../../core/index.ts';
import { BlockPool, numberPage } from './block-pool.ts';
import { currentRead, readAt, stampAt, tokensHeard } from './current-read.ts';

/** Numbers per entry: when it was read, when it was emitted, how many tokens it carried. */
const width = 3;
const store = new BlockPool(16 * width, numberPage);
const nowhere: Float64Array = new Float64Array(0);

/**
 * The reads of one answer that carried output. Their numbers lie in blocks of a pool, because a thousand streams that each
 * grow lists of their own make the garbage collector stop the client for milliseconds.
 */
export class ChunkLog {
  #blocks: number[] = [];
  /** Where the next entry goes, and where the last block ends. */
  #page = nowhere;
  #at = 0;
  #endsAt = 0;
  #entries = 0;
  #unstamped = false;
  /** Letters of the entries before the last run of one kind, whose letters are added when it ends: a string that grows is copied each time. */
  #kinds = '';
  #kind: OutputKind | null = null;

  /** Output came in the current read: a new entry, or more tokens of the entry for the same read. */
  add(of: OutputKind, tokens: number): void {
    const atMs = currentRead[readAt]!;
    const emittedMs = currentRead[stampAt]!;
    currentRead[tokensHeard]! += tokens;
    if (this.#entries > 0 && of === this.#kind && this.#page[this.#at - width] === atMs) {
      this.#page[this.#at - 1]! += tokens;
      return;
    }
    if (this.#at === this.#endsAt) this.#nextBlock();
    if (of !== this.#kind) this.#kinds = this.#letters();
    this.#kind = of;
    this.#unstamped ||= Number.isNaN(emittedMs);
    this.#page[this.#at++] = atMs;
    this.#page[this.#at++] = emittedMs;
    this.#page[this.#at++] = tokens;
    this.#entries++;
  }

  #nextBlock(): void {
    const block = store.take();
    this.#blocks.push(block);
    this.#page = store.page(block);
    this.#at = store.start(block);
    this.#endsAt = this.#at + store.blockLength;
  }

  /** Room taken. */
  get bytes(): number {
    return this.#blocks.length * store.blockLength * Float64Array.BYTES_PER_ELEMENT;
  }

  /** All entries, as they are kept. */
  read(): Chunks {
    const column = (of: number): number[] => {
      // Many answers are one read, and V8 gives a list that grows room for sixteen more numbers.
      if (this.#entries === 1) return [this.#page[this.#at - width + of]!];
      const values: number[] = [];
      for (const block of this.#blocks) {
        const page = store.page(block);
        const from = store.start(block) + of;
        const left = (this.#entries - values.length) * width;
        const to = from + Math.min(left, store.blockLength);
        for (let at = from; at < to; at += width) values.push(page[at]!);
      }
      return values;
    };
    const chunks: Chunks = { atMs: column(0), tokens: column(2), kinds: this.#letters() };
    if (this.#entries > 0 && !this.#unstamped) chunks.emittedMs = column(1);
    return chunks;
  }

  /** A letter for each entry so far: the ones that are written out, then the last kind for the rest. */
  #letters(): string {
    const missing = this.#entries - this.#kinds.length;
    return this.#kind === null ? '' : this.#kinds + outputKindLetters[this.#kind].repeat(missing);
  }

  /** Gives its memory to the next answer; nothing can be read any more. */
  close(): void {
    for (const block of this.#blocks) store.give(block);
    this.#blocks = [];
    this.#page = nowhere;
    this.#at = 0;
    this.#endsAt = 0;
    this.#entries = 0;
  }
}
