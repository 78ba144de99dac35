/** So much later is the next request of a round: an engine that rests begins with the first one alone. */
const hairMs = 1e-6;

/**
 * When requests arrived. What is read in one round of the event loop lay in the sockets before the round began, and reading hundreds of requests
 * takes longer than a step: all of a round arrive when its first is read, one a hair after the other.
 */
export class ArrivalRound {
  readonly #nowMs: () => number;
  #lastMs: number | null = null;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** When the request that is being read arrived. */
  atMs(): number {
    if (this.#lastMs === null) {
      this.#lastMs = this.#nowMs();
      // Runs after all that this round reads.
      setImmediate(() => (this.#lastMs = null));
    } else this.#lastMs += hairMs;
    return this.#lastMs;
  }
}
