/** A queue from callbacks to one `for await`: never loses an item, ends when closed and emptied, fails when told to. */
export class Outbox<T> implements AsyncIterable<T> {
  #items: T[] = [];
  #taken = 0;
  #end: 'open' | 'closed' | { failure: unknown } = 'open';
  #wake: (() => void) | null = null;

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

  async *[Symbol.asyncIterator](): AsyncIterator<T> {
    for (;;) {
      while (this.#taken < this.#items.length) {
        const item = this.#items[this.#taken++]!;
        if (this.#taken === this.#items.length) {
          this.#items = [];
          this.#taken = 0;
        }
        yield item;
      }
      if (this.#end !== 'open') {
        if (this.#end === 'closed') return;
        throw this.#end.failure;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #nudge(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }
}
