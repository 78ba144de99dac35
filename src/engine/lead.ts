/** So long writing a first token takes where sim/front.ts was measured, and is in what virtual time counts until it is heard. */
const usualMs = 0.03125;
const mostMs = 0.25;
const stepMs = 0.01;

/**
 * How long before their time the engine begins to write urgent tokens, so that they leave when they leave on a host as quick as the one
 * that virtual time has in mind: what writing takes here beyond that, by the median of the tokens so far.
 */
export class Lead {
  #tookMs = 3 * usualMs;

  /** For one token. */
  get ms(): number {
    return this.#tookMs - usualMs;
  }

  /** For so many that are written one after the other, beyond that for one: half of them leave earlier than they should, and half later. */
  forMore(tokens: number): number {
    return ((tokens - 1) / 2) * this.#tookMs;
  }

  /** A first token took so long to write. Going a little up or down with each, one ends where half of them are longer. */
  took(ms: number): void {
    const towards = Math.sign(ms - this.#tookMs) * stepMs;
    this.#tookMs = Math.min(usualMs + mostMs, Math.max(usualMs, this.#tookMs + towards));
  }
}
