/** What is made of items at a stretch, before sockets that have become readable are served. */
const sliceMs = 1;
/** So many items waiting are no burst any more: they are taken without a pause, so that memory stays bounded. */
const mostWaiting = 4096;

/**
 * A queue from callbacks to one `for await`: never loses an item, ends when closed and emptied, fails when told to.
 * Items come out between two rounds of the event loop and for a millisecond at a stretch: what is done with them must not
 * make the stamps of other reads late, and a thousand answers may end at once.
 */
export class Outbox<T> implements AsyncIterable<T> {
  #items: T[] = [];
  #taken = 0;
  #end: 'open' | 'closed' | { failure: unknown } = 'open';
  #wake: (() => void) | null = null;
  #sliceEndsMs = 0;

  push(item: T): void {
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
    const waiting = this.#items.length - this.#taken;
    if (waiting > 0) {
      if (waiting < mostWaiting && performance.now() >= this.#sliceEndsMs) return this.#nextRound();
      const value = this.#items[this.#taken++]!;
      if (this.#taken === this.#items.length) {
        this.#items = [];
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
    this.#sliceEndsMs = performance.now() + sliceMs;
    return this.#next();
  }

  #nudge(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }
}
