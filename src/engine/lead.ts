/** So long writing a first token takes where sim/front.ts was measured, and is in what virtual time counts until it is heard. */
const usualMs = 0.0625;
const mostMs = 0.25;
const stepMs = 0.005;

/**
 * How long before their time the engine begins to write urgent tokens, so that they leave when they leave on a host as quick as the one
 * that virtual time has in mind: what writing takes here beyond that, by the median of the tokens so far.
 */
export class Lead {
  #oneMs = usualMs;
  /** Of some that are written one after the other. */
  #eachMs = usualMs / 2;

  /** For one token. */
  get ms(): number {
    return this.#oneMs - usualMs;
  }

  /** So long does it take to write so many one after the other. */
  takesMs(tokens: number): number {
    return tokens * this.#eachMs;
  }

  /** So many first tokens took so long to write. */
  took(ms: number, tokens: number): void {
    if (tokens === 1) this.#oneMs = towards(this.#oneMs, ms, usualMs);
    else this.#eachMs = towards(this.#eachMs, ms / tokens, 0);
  }
}

/** Going a little up or down with each, one ends where half of them are longer. */
function towards(fromMs: number, ms: number, leastMs: number): number {
  return Math.min(leastMs + mostMs, Math.max(leastMs, fromMs + Math.sign(ms - fromMs) * stepMs));
}
