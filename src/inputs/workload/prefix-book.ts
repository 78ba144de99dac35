/**
 * Which beginnings of texts have been seen. A prefix cache keeps whole blocks of tokens, and a block counts only behind all blocks
 * before it, so a text is known by one number for each block: a hash of everything up to its end.
 */
export class PrefixBook {
  readonly #blockChars: number;
  readonly #seen = new Set<number>();

  constructor(blockChars: number) {
    this.#blockChars = Math.max(1, Math.round(blockChars));
  }

  /** Characters, in whole blocks, that an earlier text began with too; from now on this text is an earlier one. */
  see(text: string): number {
    let [high, low] = [0x811c9dc5, 0x9e3779b9];
    let known = 0;
    let isKnown = true;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      high = Math.imul(high ^ unit, 0x01000193);
      low = Math.imul(low + unit, 0x85ebca6b) ^ (low >>> 13);
      if ((i + 1) % this.#blockChars !== 0) continue;
      // 53 bits of the two, as much as a number holds.
      const upToHere = (high >>> 0) * 0x200000 + (low & 0x1fffff);
      isKnown &&= this.#seen.has(upToHere);
      if (isKnown) known = i + 1;
      else this.#seen.add(upToHere);
    }
    return known;
  }
}
