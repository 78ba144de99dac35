/** One whole KV block of a prompt's text, and how many sequences hold it. */
interface CachedBlock {
  readonly key: number;
  holders: number;
  /** Its neighbours among those that nobody holds: let go before and after it. */
  before: CachedBlock | null;
  after: CachedBlock | null;
}

/** Blocks kept for later where the KV cache has no limit of its own: two million tokens of 16 to a block. */
const mostIdleBlocks = 2 ** 17;

/**
 * Which whole blocks of prompts (and of the answers that followed) are in the KV cache, by keys that stand for all text up to
 * the block's end, so that equal keys are equal beginnings. Blocks are counted by who holds them; those that nobody holds stay
 * until room is needed, and the one that was let go first goes first. A sequence lets go of its last block first, hence a
 * block never goes before one that continues it.
 */
export class PrefixCache {
  readonly #blocks = new Map<number, CachedBlock>();
  /** Blocks that nobody holds, in the order in which they were let go. */
  #firstIdle: CachedBlock | null = null;
  #lastIdle: CachedBlock | null = null;
  #idle = 0;
  readonly #mostIdle: number;
  /** Prompt tokens looked up, and those of them that were found. */
  lookedUpTokens = 0;
  foundTokens = 0;

  /** `limited` = the KV cache has so few blocks that it will say itself when some have to go. */
  constructor(limited: boolean) {
    this.#mostIdle = limited ? Infinity : mostIdleBlocks;
  }

  /** Cached blocks that nobody holds; they can be evicted at any time. */
  get idleBlocks(): number {
    return this.#idle;
  }

  /** How many blocks from the front are there now, at most `most`. */
  found(keys: Float64Array, most: number): number {
    const end = Math.min(most, keys.length);
    let count = 0;
    while (count < end && this.#blocks.has(keys[count]!)) count++;
    return count;
  }

  /** Of the first `count`, which are there, those that somebody holds: sharing them takes no free block. */
  held(keys: Float64Array, count: number): number {
    let held = 0;
    while (held < count && this.#blocks.get(keys[held]!)!.holders > 0) held++;
    return held;
  }

  /** A sequence takes the first `count` blocks, which are there. */
  hold(keys: Float64Array, count: number): void {
    for (let i = 0; i < count; i++) {
      const block = this.#blocks.get(keys[i]!)!;
      if (block.holders++ === 0) this.#takeFromIdle(block);
    }
  }

  /** A block that a sequence has just filled is there for others too; false = another one of the same text is there already. */
  add(key: number): boolean {
    if (this.#blocks.has(key)) return false;
    this.#blocks.set(key, { key, holders: 1, before: null, after: null });
    return true;
  }

  /** A sequence lets go of its first `count` blocks, the last one first; they stay cached. */
  release(keys: Float64Array, count: number): void {
    for (let i = count - 1; i >= 0; i--) {
      const block = this.#blocks.get(keys[i]!)!;
      if (--block.holders === 0) this.#addToIdle(block);
    }
    if (this.#idle > this.#mostIdle) this.evict(this.#idle - this.#mostIdle);
  }

  /** Throws out up to `blocks` blocks that nobody holds; says how many. */
  evict(blocks: number): number {
    let gone = 0;
    for (; gone < blocks && this.#firstIdle !== null; gone++) {
      const block = this.#firstIdle;
      this.#takeFromIdle(block);
      this.#blocks.delete(block.key);
    }
    return gone;
  }

  /** Blocks that some sequence holds, each counted once. */
  heldBlocks(): number {
    return this.#blocks.size - this.#idle;
  }

  #addToIdle(block: CachedBlock): void {
    block.before = this.#lastIdle;
    if (this.#lastIdle === null) this.#firstIdle = block;
    else this.#lastIdle.after = block;
    this.#lastIdle = block;
    this.#idle++;
  }

  #takeFromIdle(block: CachedBlock): void {
    const { before, after } = block;
    if (before === null) this.#firstIdle = after;
    else before.after = after;
    if (after === null) this.#lastIdle = before;
    else after.before = before;
    block.before = block.after = null;
    this.#idle--;
  }
}
