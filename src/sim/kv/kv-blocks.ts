import { invariant } from '../../core/index.ts';

/** How the engine's KV cache is cut; blocks null = there is no limit. */
export interface KvShape {
  blocks: number | null;
  blockSize: number;
}

/**
 * Who holds how many KV blocks. A sequence of n tokens holds ceil(n / blockSize) of them.
 * Promise: used + free = total at every moment, where there is a total.
 */
export class KvBlocks {
  readonly total: number | null;
  readonly blockSize: number;
  #used = 0;
  readonly #held = new Map<number, number>();

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

  /** null = without limit. */
  get free(): number | null {
    return this.total === null ? null : this.total - this.#used;
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

  /** Makes the sequence hold what `tokens` take; false, and nothing changed, when there are too few free blocks. */
  reserve(id: number, tokens: number): boolean {
    const held = this.#held.get(id) ?? 0;
    const more = this.blocksFor(tokens) - held;
    if (more <= 0) return true;
    if (this.total !== null && this.#used + more > this.total) return false;
    this.#held.set(id, held + more);
    this.#used += more;
    return true;
  }

  /** Gives back all that a sequence holds. */
  release(id: number): void {
    const held = this.#held.get(id);
    if (held === undefined) return;
    this.#held.delete(id);
    this.#used -= held;
    invariant(this.#used >= 0, 'no more KV blocks are given back than were taken');
  }
}
