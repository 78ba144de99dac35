import type { RunClock } from './run-clock.ts';

/** A long round has made reads late already; so much more does not count. */
const partOfRound = 0.5;
const mostMs = 4;

/** What may be used after a round that took so long, where the work must not fall behind the reads. */
export function partOfRoundMs(tookMs: number): number {
  return Math.min(mostMs, partOfRound * tookMs);
}

/**
 * How much of each round of the event loop goes into one kind of work, sending or recording, before the client looks for bytes to stamp
 * again, and whether that share is used up. What is read in the meantime is stamped late by it.
 */
export class RoundShare {
  readonly #clock: Pick<RunClock, 'nowMs'>;
  /** What the next round may use; `tookMs` is the length of the round before, 0 where that did not use up its share. */
  readonly #allowMs: (tookMs: number) => number;
  /** null = nothing was done yet. */
  #budgetMs: number | null = null;
  #usedMs = 0;
  #fromMs = 0;
  #ending = false;
  /** When the round before ended, where it used up its share. */
  #roundMs: number | null = null;

  constructor(clock: Pick<RunClock, 'nowMs'>, allowMs: (tookMs: number) => number) {
    this.#clock = clock;
    this.#allowMs = allowMs;
  }

  get spent(): boolean {
    return this.#budgetMs !== null && this.#usedMs >= this.#budgetMs;
  }

  /** Work begins; it may last until the time that is given back. */
  begin(nowMs = this.#clock.nowMs()): number {
    this.#endRoundLater();
    this.#budgetMs ??= this.#allowMs(0);
    this.#fromMs = nowMs;
    return this.#fromMs + this.#budgetMs - this.#usedMs;
  }

  /** The work that began is done for now; it may have waited for something, and end in another round. */
  end(nowMs = this.#clock.nowMs()): void {
    this.#endRoundLater();
    this.#usedMs += nowMs - this.#fromMs;
  }

  #endRoundLater(): void {
    if (this.#ending) return;
    this.#ending = true;
    setImmediate(() => this.#nextRound());
  }

  #nextRound(): void {
    const nowMs = this.#clock.nowMs();
    const tookMs = this.#roundMs === null ? 0 : nowMs - this.#roundMs;
    this.#budgetMs = this.#allowMs(tookMs);
    // By the new budget: a share that has just grown does not grow again from a round that it made long itself. With
    // short answers that is worth 6 % of the requests a second.
    this.#roundMs = this.spent ? nowMs : null;
    this.#usedMs = 0;
    this.#ending = false;
  }
}
