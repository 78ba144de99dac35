import { roundBudgetMs } from './round-budget.ts';
import type { RunClock } from './run-clock.ts';

/** How much of each round of the event loop went into one kind of work, and whether its share is used up. */
export class RoundShare {
  readonly #clock: Pick<RunClock, 'nowMs'>;
  readonly #leastMs: number;
  #budgetMs: number;
  #usedMs = 0;
  #fromMs = 0;
  #ending = false;
  /** When the round before ended, where it used up its share. */
  #roundMs: number | null = null;

  constructor(clock: Pick<RunClock, 'nowMs'>, leastMs: number) {
    this.#clock = clock;
    this.#leastMs = leastMs;
    this.#budgetMs = leastMs;
  }

  get spent(): boolean {
    return this.#usedMs >= this.#budgetMs;
  }

  /** Work begins; it may last until the time that is given back. */
  begin(): number {
    if (!this.#ending) {
      this.#ending = true;
      setImmediate(() => this.#nextRound());
    }
    this.#fromMs = this.#clock.nowMs();
    return this.#fromMs + this.#budgetMs - this.#usedMs;
  }

  /** The work that began is done for now. */
  end(): void {
    this.#usedMs += this.#clock.nowMs() - this.#fromMs;
  }

  #nextRound(): void {
    const nowMs = this.#clock.nowMs();
    this.#budgetMs = Math.max(this.#leastMs, roundBudgetMs(this.#roundMs === null ? 0 : nowMs - this.#roundMs));
    this.#roundMs = this.spent ? nowMs : null;
    this.#usedMs = 0;
    this.#ending = false;
  }
}
