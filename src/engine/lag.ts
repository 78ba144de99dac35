/** A late answer has made up for this part of its lateness when it ends, and for this part of the time that it took. */
const madeUpRatio = 0.25;
const madeUpPerMs = 0.004;

/**
 * How much later than in virtual time the tokens of a request leave that its client sent late: as if it were further away. What a client measures
 * begins when it sends, so that nothing would be right but the first token if only that waited. But a lateness that stayed would pass on to the
 * request that follows, and grow: an answer makes up for some of it, so slowly that its pace hardly changes.
 */
export class Lag {
  readonly #lateMs: number;
  readonly #outputTokens: number;
  #firstMs: number | null = null;

  /** lateMs is negative where it was sent early: its first token leaves earlier then, and no other one. */
  constructor(lateMs: number, outputTokens: number) {
    this.#lateMs = lateMs;
    this.#outputTokens = outputTokens;
  }

  /** Of a token, from 0, that a step makes which ends at endMs. */
  ms(token: number, endMs: number): number {
    this.#firstMs ??= endMs;
    if (token === 0) return this.#lateMs;
    const left = this.#lateMs * (1 - (madeUpRatio * token) / (this.#outputTokens - 1));
    return Math.max(0, left - madeUpPerMs * (endMs - this.#firstMs));
  }
}
