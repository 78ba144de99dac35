/**
 * For how long work may still wait for a quieter moment. Used up by waiting, it comes back at a quarter of the pace: a burst finds all
 * of it, and where work comes all the time hardly any is left.
 */
export class Patience {
  readonly #mostMs: number;
  #leftMs: number;
  #lookedMs: number | null = null;
  #waited = false;

  constructor(mostMs: number) {
    this.#mostMs = mostMs;
    this.#leftMs = mostMs;
  }

  /** What is left now; `waiting` = something waits from now until the next look. */
  left(nowMs: number, waiting: boolean): number {
    const pastMs = nowMs - (this.#lookedMs ?? nowMs);
    const left = this.#leftMs + (this.#waited ? -pastMs : 0.25 * pastMs);
    this.#leftMs = Math.min(this.#mostMs, Math.max(0, left));
    this.#lookedMs = nowMs;
    this.#waited = waiting;
    return this.#leftMs;
  }
}
