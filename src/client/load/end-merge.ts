import type { Ended } from '../../core/index.ts';

/** Puts what several threads report into one order, that of the ends; each thread's own reports are in order already. */
export class EndMerge {
  readonly #emit: (ended: Ended) => void;
  readonly #upToMs: number[];
  #pending: Ended[] = [];

  constructor(threads: number, emit: (ended: Ended) => void) {
    this.#emit = emit;
    this.#upToMs = Array.from({ length: threads }, () => -Infinity);
  }

  /** A thread reports what ended, and that nothing more will come from before upToMs. */
  add(thread: number, batch: readonly Ended[], upToMs: number): void {
    for (const ended of batch) this.#pending.push(ended);
    this.#upToMs[thread] = upToMs;
    const known = Math.min(...this.#upToMs);
    if (this.#pending.length === 0) return;
    const due = this.#pending.filter(({ exchange }) => exchange.endMs <= known);
    if (due.length === 0) return;
    this.#pending = this.#pending.filter(({ exchange }) => exchange.endMs > known);
    for (const ended of due.toSorted((a, b) => a.exchange.endMs - b.exchange.endMs)) this.#emit(ended);
  }
}
