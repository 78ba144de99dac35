/** One shared beginning: its blocks in the cache, from the front, and how many sequences hold each. */
interface Chain {
  group: number;
  /** Holders of each cached block; a block further on is never held by more than the one before it. */
  holders: number[];
  usedAt: number;
}

/**
 * Which whole blocks of shared prompt beginnings are in the KV cache. Blocks are counted by who holds them; those that nobody
 * holds stay until room is needed, and the end of the chain that was used least recently goes first.
 */
export class PrefixCache {
  readonly #chains = new Map<number, Chain>();
  #clock = 0;
  /** Cached blocks that nobody holds: they can be had back at any time. */
  idleBlocks = 0;
  /** Prompt tokens looked up, and those of them that were found. */
  lookedUpTokens = 0;
  foundTokens = 0;

  /** Blocks of the chain that are there now, at most `blocks`. */
  found(group: number, blocks: number): number {
    return Math.min(this.#chains.get(group)?.holders.length ?? 0, blocks);
  }

  /** Blocks that holding the first `blocks` of the chain would take from the free ones: those that nobody holds yet. */
  missing(group: number, blocks: number): number {
    const holders = this.#chains.get(group)?.holders ?? [];
    let held = 0;
    while (held < blocks && held < holders.length && holders[held]! > 0) held++;
    return blocks - held;
  }

  /** A sequence takes the first `blocks` of the chain; those that are not there yet become part of it. */
  hold(group: number, blocks: number): void {
    let chain = this.#chains.get(group);
    if (chain === undefined) {
      chain = { group, holders: [], usedAt: 0 };
      this.#chains.set(group, chain);
    }
    chain.usedAt = ++this.#clock;
    for (let i = 0; i < blocks; i++) {
      if (i < chain.holders.length) {
        if (chain.holders[i] === 0) this.idleBlocks--;
        chain.holders[i]!++;
      } else chain.holders.push(1);
    }
  }

  /** The sequence lets go; the blocks stay cached. */
  release(group: number, blocks: number): void {
    const chain = this.#chains.get(group)!;
    chain.usedAt = ++this.#clock;
    for (let i = 0; i < blocks; i++) {
      if (--chain.holders[i]! === 0) this.idleBlocks++;
    }
  }

  /** Throws out up to `blocks` blocks that nobody holds, least recently used chain first; says how many. */
  evict(blocks: number): number {
    let left = blocks;
    const idle = [...this.#chains.values()].filter((chain) => chain.holders.at(-1) === 0);
    for (const chain of idle.toSorted((a, b) => a.usedAt - b.usedAt)) {
      while (left > 0 && chain.holders.at(-1) === 0) {
        chain.holders.pop();
        this.idleBlocks--;
        left--;
      }
      if (chain.holders.length === 0) this.#chains.delete(chain.group);
      if (left === 0) break;
    }
    return blocks - left;
  }

  /** Blocks that some sequence holds, each counted once. */
  heldBlocks(): number {
    let held = 0;
    for (const chain of this.#chains.values()) for (const holders of chain.holders) if (holders > 0) held++;
    return held;
  }
}
