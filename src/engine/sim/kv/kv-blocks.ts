import { invariant } from '../../../core/index.ts';

/** How the engine's KV cache is cut; blocks null = there is no limit. */
export interface KvShape {
  blocks: number | null;
  blockSize: number;
}

/**
 * How many KV blocks are taken. A sequence of n tokens holds ceil(n / blockSize) of them; who holds how many is kept
 * with the sequences, so that a decode step of thousands costs one look-up here.
 * Promise: used + free = total at every moment, where there is a total.
 */
export class KvBlocks {
  readonly total: number | null;
  readonly blockSize: number;
  #used = 0;
  /** Blocks in use at the worst moment so far. */
  peak = 0;

  constructor(shape: KvShape) {
    invariant(
      shape.blockSize >= 1 && (shape.blocks === null || shape.blocks >= 1),
      'a KV cache has blocks of some size',
    );
    this.total = shape.blocks;
    this.blockSize = shape.blockSize;
  }

  get used(): number {
    return this.#used;
  }

  /** Infinity = without limit. */
  get free(): number {
    return this.total === null ? Infinity : this.total - this.#used;
  }

  /** Used over total; null = without limit. */
  get usageRatio(): number | null {
    return this.total === null ? null : this.#used / this.total;
  }

  /** Blocks that so many tokens take. */
  blocksFor(tokens: number): number {
    return Math.ceil(tokens / this.blockSize);
  }

  /** Whether a sequence of so many tokens could ever be held, alone. */
  couldHold(tokens: number): boolean {
    return this.total === null || this.blocksFor(tokens) <= this.total;
  }

  /** Takes blocks; false, and nothing changed, when there are too few. */
  take(blocks: number): boolean {
    if (this.total !== null && this.#used + blocks > this.total) return false;
    this.#used += blocks;
    if (this.#used > this.peak) this.peak = this.#used;
    return true;
  }

  give(blocks: number): void {
    this.#used -= blocks;
    invariant(this.#used >= 0, 'no more KV blocks are given back than were taken');
  }
}
