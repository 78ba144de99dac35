/** So long writing a first token takes where sim/front.ts was measured, and is in what virtual time counts until it is heard. */
const usualMs = 0.03125;
const mostMs = 0.25;
const stepMs = 0.01;

/**
 * How long before its step's end the engine begins to write a first token, so that it leaves when it leaves on a host as quick as the one
 * that virtual time has in mind: what writing takes here beyond that, by the median of the first tokens so far.
 */
export class Lead {
  #tookMs = 3 * usualMs;

  get ms(): number {
    return this.#tookMs - usualMs;
  }

  /** A first token took so long to write. Going a little up or down with each, one ends where half of them are longer. */
  took(ms: number): void {
    const towards = Math.sign(ms - this.#tookMs) * stepMs;
    this.#tookMs = Math.min(usualMs + mostMs, Math.max(usualMs, this.#tookMs + towards));
  }
}
