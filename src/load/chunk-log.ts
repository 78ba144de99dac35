import { outputKindLetters } from '../core/index.ts';
import type { Chunks, OutputKind } from '../core/index.ts';
import { ArrayPool } from './array-pool.ts';

/** Numbers per entry: when it was read, when it was emitted, how many tokens it carried. */
const width = 3;
const arrays = new ArrayPool<Float64Array>(16 * width, (length) => new Float64Array(length));

/**
 * The reads of one answer that carried output, as they come. Numbers lie in one flat array outside the collector's
 * reach: a thousand streams that each grow lists of their own make it stop the client for milliseconds.
 */
export class ChunkLog {
  #numbers: Float64Array | null = null;
  #entries = 0;
  #unstamped = false;
  /** Letters of the entries before the ones of the last kind; a string that grows by a letter is copied each time. */
  #kinds = '';
  #kind: OutputKind | null = null;

  /** Output was read: an entry of its own, or part of the one for the same read. stampMs null = the server does not stamp. */
  add(of: OutputKind, tokens: number, atMs: number, stampMs: number | null): void {
    let at = this.#entries * width;
    if (this.#entries > 0 && of === this.#kind && this.#numbers![at - width] === atMs) {
      this.#numbers![at - 1]! += tokens;
      return;
    }
    if (this.#numbers === null || at + width > this.#numbers.length)
      this.#numbers = arrays.grow(this.#numbers, at, at + width);
    if (of !== this.#kind) this.#kinds = this.#letters();
    this.#kind = of;
    this.#unstamped ||= stampMs === null;
    const numbers = this.#numbers;
    numbers[at++] = atMs;
    numbers[at++] = stampMs ?? 0;
    numbers[at] = tokens;
    this.#entries++;
  }

  /** All entries, as they are kept. */
  read(): Chunks {
    const column = (of: number): number[] => {
      const values: number[] = [];
      for (let i = 0; i < this.#entries; i++) values.push(this.#numbers![i * width + of]!);
      return values;
    };
    return {
      atMs: column(0),
      tokens: column(2),
      kinds: this.#letters(),
      ...(this.#entries > 0 && !this.#unstamped && { emittedMs: column(1) }),
    };
  }

  /** A letter for each entry so far: the ones that are written out, then the last kind for the rest. */
  #letters(): string {
    const missing = this.#entries - this.#kinds.length;
    return this.#kind === null ? '' : this.#kinds + outputKindLetters[this.#kind].repeat(missing);
  }

  /** Gives its memory to the next answer; nothing can be read any more. */
  close(): void {
    if (this.#numbers !== null) arrays.give(this.#numbers);
    this.#numbers = null;
    this.#entries = 0;
  }
}
