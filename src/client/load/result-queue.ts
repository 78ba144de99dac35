import { RoundBudget } from './round-budget.ts';

/** The longest time in one round of the event loop that handling items may take. */
const mostRoundMs = 0.5;
/** The first item after a pause of so long is held for as long, because a thousand answers may be ending whose last tokens are being stamped. */
const holdMs = 150;
/** When this many items wait, they are taken without a pause, so that memory stays bounded. */
const mostWaiting = 1024;

/** An item whose record is put together when its turn comes. */
interface Recorded<T> {
  record(): T;
}

/**
 * A queue from callbacks to one `for await`: never loses an item, ends when closed and emptied, fails when told to. A burst is left
 * alone until it is over, and then a few items come out in each round of the event loop: the stamps of other answers are not late for what is
 * written about one.
 */
export class ResultQueue<T> implements AsyncIterable<T> {
  #items: (Recorded<T> | null)[] = [];
  #taken = 0;
  #end: 'open' | 'closed' | { failure: unknown } = 'open';
  /** The reader waits for something to come. */
  #wake: (() => void) | null = null;
  readonly #budget = new RoundBudget({ nowMs: () => performance.now() }, mostRoundMs);
  /** Ends the wait of a burst. */
  #holding: NodeJS.Timeout | null = null;
  /** When the last item was handed out. */
  #handedMs = -Infinity;
  /** When work on the item that was handed out began; null = none is worked on. */
  #workingFromMs: number | null = null;
  /** Whoever waits for everything to be taken. */
  #emptied: (() => void)[] = [];
  /** The reader went away before the end. */
  #abandoned = false;

  push(item: Recorded<T>): void {
    this.#items.push(item);
    if (this.#holding === null || this.#items.length - this.#taken >= mostWaiting) this.#nudge();
  }

  /** Settles when all that was pushed is taken and worked on, or nobody takes any more. */
  emptied(): Promise<void> {
    if (this.#abandoned) return Promise.resolve();
    return new Promise((resolve) => {
      this.#emptied.push(resolve);
      this.#nudge();
    });
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
    return {
      next: () => this.#next(),
      return: () => {
        this.#abandoned = true;
        this.#tellEmptied();
        return Promise.resolve({ value: undefined, done: true });
      },
    };
  }

  /** Written out, because an async generator costs more per item than a short answer costs to hear. */
  #next(): Promise<IteratorResult<T>> {
    const nowMs = performance.now();
    if (this.#workingFromMs !== null) this.#budget.end(this.#workingFromMs, nowMs);
    this.#workingFromMs = null;
    const waiting = this.#items.length - this.#taken;
    if (waiting > 0) {
      if (waiting < mostWaiting) {
        if (this.#mayHold && nowMs - this.#handedMs > holdMs) return this.#hold(nowMs);
        if (this.#budget.spent) return this.#nextRound();
      }
      this.#workingFromMs = nowMs;
      this.#handedMs = nowMs;
      const value = this.#items[this.#taken]!.record();
      // A taken item is freed at once, because an answer may be large. Its place is freed soon, even if the queue never runs empty.
      this.#items[this.#taken++] = null;
      if (this.#taken >= mostWaiting || waiting === 1) {
        this.#items = this.#items.slice(this.#taken);
        this.#taken = 0;
      }
      return Promise.resolve({ value, done: false });
    }
    this.#tellEmptied();
    if (this.#end === 'closed') return Promise.resolve({ value: undefined, done: true });
    if (this.#end !== 'open') return Promise.reject(this.#end.failure as Error);
    return new Promise<void>((resolve) => {
      this.#wake = resolve;
    }).then(() => this.#next());
  }

  /** No reader waits for the whole queue. */
  get #mayHold(): boolean {
    return this.#end === 'open' && this.#emptied.length === 0;
  }

  #hold(nowMs: number): Promise<IteratorResult<T>> {
    this.#handedMs = nowMs;
    return new Promise<void>((resolve) => {
      this.#wake = resolve;
      this.#holding = setTimeout(() => this.#nudge(), holdMs);
    }).then(() => {
      this.#handedMs = performance.now();
      return this.#next();
    });
  }

  async #nextRound(): Promise<IteratorResult<T>> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    return this.#next();
  }

  #tellEmptied(): void {
    for (const tell of this.#emptied.splice(0)) tell();
  }

  #nudge(): void {
    if (this.#wake === null) return;
    if (this.#holding !== null) clearTimeout(this.#holding);
    this.#holding = null;
    setImmediate(this.#wake);
    this.#wake = null;
  }
}
