import { Patience } from './patience.ts';
import { partOfRoundMs, RoundShare } from './round-share.ts';

/** So many items waiting are no burst any more: they are taken without a pause, so that memory stays bounded. */
const mostWaiting = 1024;
/** So long in any round: no more than a timer is late anyway. */
const leastMs = 0.15;
/** For so long items may wait while no more than the least is done: a burst of ends is over by then. */
const mostPatienceMs = 300;
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
  readonly #share = new RoundShare({ nowMs: () => performance.now() }, (tookMs) => this.#allowMs(tookMs));
  readonly #patience = new Patience(mostPatienceMs);
  /** An item was handed out and is worked on. */
  #working = false;

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
    if (this.#working) this.#share.end();
    this.#working = false;
    const waiting = this.#items.length - this.#taken;
    if (waiting > 0) {
      if (this.#share.spent && waiting < mostWaiting) return this.#nextRound();
      this.#share.begin();
      this.#working = true;
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

  #allowMs(tookMs: number): number {
    const leftMs = this.#patience.left(performance.now(), this.#items.length > this.#taken);
    return leftMs > 0 ? leastMs : Math.max(leastMs, partOfRoundMs(tookMs));
  }

  #nudge(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }
}
