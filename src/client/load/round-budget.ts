import type { RunClock } from './run-clock.ts';

/**
 * How much of each round of the event loop goes into one kind of work, sending or recording, before the client looks for bytes to stamp
 * again: what is read in the meantime is stamped late by it.
 */
export class RoundBudget {
  #usedMs = 0;
  #ending = false;

  constructor(
    private readonly clock: Pick<RunClock, 'nowMs'>,
    private readonly mostMs: number,
  ) {}

  get spent(): boolean {
    return this.#usedMs >= this.mostMs;
  }

  /** Work begins now; it may last until the time that is given back. */
  begin(nowMs = this.clock.nowMs()): number {
    return nowMs + this.mostMs - this.#usedMs;
  }

  /** The work that began at `fromMs` is done for now. */
  end(fromMs: number, nowMs = this.clock.nowMs()): void {
    this.#usedMs += nowMs - fromMs;
    if (this.#ending) return;
    this.#ending = true;
    setImmediate(() => {
      this.#usedMs = 0;
      this.#ending = false;
    });
  }
}
