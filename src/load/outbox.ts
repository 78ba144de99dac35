import { roundBudgetMs } from './round-budget.ts';

/** So many items waiting are no burst any more: they are taken without a pause, so that memory stays bounded. */
const mostWaiting = 1024;
const keptTaken = 64;

/** An item whose record is put together when its turn comes. */
interface Recorded<T> {
  record(): T;
}

/**
 * A queue from callbacks to one `for await`: never loses an item, ends when closed and emptied, fails when told to.
 * What is done with items takes only a part of each round of the event loop: it must not make the stamps of other reads
 * late, and a thousand answers may end at once.
 */
export class Outbox<T> implements AsyncIterable<T> {
  #items: Recorded<T>[] = [];
  #taken = 0;
  #end: 'open' | 'closed' | { failure: unknown } = 'open';
  #wake: (() => void) | null = null;
  /** When the item that is being worked on was handed out. */
  #handedMs: number | null = null;
  #usedMs = 0;
  #budgetMs = roundBudgetMs(0);
  /** When the round before ended; null = nothing was waiting then. */
  #roundMs: number | null = null;
  #roundEnds = false;

  push(item: Recorded<T>): void {
    this.#items.push(item);
    this.#nudge();
  }

  close(): void {
    if (this.#end === 'open') this.#end = 'closed';
    this.#nudge();
  }

  /** What was pushed before still comes out; then the reader gets the failure. */
  fail(failure: unknown): void {
    if (this.#end === 'open') this.#end = { failure };
    this.#nudge();
  }

  [Symbol.asyncIterator](): AsyncIterator<T> {
    return { next: () => this.#next() };
  }

  /** Written out, because an async generator costs more per item than a short answer costs to hear. */
  #next(): Promise<IteratorResult<T>> {
    const nowMs = performance.now();
    if (this.#handedMs !== null) this.#usedMs += nowMs - this.#handedMs;
    this.#handedMs = null;
    const waiting = this.#items.length - this.#taken;
    if (waiting > 0) {
      if (!this.#roundEnds) this.#endRoundLater();
      if (this.#usedMs >= this.#budgetMs && waiting < mostWaiting) return this.#nextRound();
      this.#handedMs = nowMs;
      const value = this.#items[this.#taken++]!.record();
      // What was taken is let go soon, also while the queue never runs empty.
      if (waiting === 1 || (this.#taken >= keptTaken && this.#taken >= waiting)) {
        this.#items = waiting === 1 ? [] : this.#items.slice(this.#taken);
        this.#taken = 0;
      }
      return Promise.resolve({ value, done: false });
    }
    if (this.#end === 'closed') return Promise.resolve({ value: undefined, done: true });
    if (this.#end !== 'open') return Promise.reject(this.#end.failure as Error);
    return new Promise<void>((resolve) => {
      this.#wake = resolve;
    }).then(() => this.#next());
  }

  async #nextRound(): Promise<IteratorResult<T>> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    return this.#next();
  }

  #endRoundLater(): void {
    this.#roundEnds = true;
    setImmediate(() => {
      const nowMs = performance.now();
      this.#budgetMs = roundBudgetMs(this.#roundMs === null ? 0 : nowMs - this.#roundMs);
      this.#roundMs = this.#items.length > this.#taken ? nowMs : null;
      this.#usedMs = 0;
      this.#roundEnds = false;
    });
  }

  #nudge(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }
}
