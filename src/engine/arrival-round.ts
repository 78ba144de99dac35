/** So much later is the next request of a round: an engine that rests begins with the first one alone. */
export const hairMs = 1e-6;

/**
 * When requests arrived. What is read in one round of the event loop lay in the sockets before the round began, and reading hundreds of requests
 * takes longer than a step: all of a round arrive when its first is read, one a hair after the other.
 */
export class ArrivalRound {
  readonly #nowMs: () => number;
  /** When the round under way began to read; null = none does. */
  #fromMs: number | null = null;
  #arrived = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** A request begins to be read; if all of it is here, it arrives now. */
  begin(): number {
    if (this.#fromMs !== null) return this.#fromMs;
    this.#fromMs = this.#nowMs();
    this.#arrived = 0;
    // Runs after all that this round reads.
    setImmediate(() => (this.#fromMs = null));
    return this.#fromMs;
  }

  /** When the request that has been read arrived. */
  atMs(): number {
    return this.begin() + hairMs * this.#arrived++;
  }
}
