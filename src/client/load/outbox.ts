import { Pace } from './pace.ts';
import { Patience } from './patience.ts';
import { partOfRoundMs, RoundShare } from './round-share.ts';

/** So many items waiting are no burst any more, whatever the load: they are taken without a pause, so that memory stays bounded. */
const largestBurst = 2048;
/** So few are always one. */
const smallestBurst = 64;
/** So long in any round: no more than a timer is late anyway. */
const leastMs = 0.15;
/** For so long items may wait: what has ended is on the disk within a second. */
const mostPatienceMs = 600;
/** While more than this is left, nothing is done with them: a burst of ends is over by then. Afterwards they are taken at an easy pace. */
const pacedPatienceMs = 450;
/** With less than this at its beginning a wait is not worth its timers: items come all the time. */
const worthPatienceMs = 50;
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
  readonly #share = new RoundShare({ nowMs: () => performance.now() }, (tookMs) =>
    Math.max(leastMs, partOfRoundMs(tookMs)),
  );
  readonly #patience = new Patience(mostPatienceMs);
  readonly #pace = new Pace();
  /** What waits now is left in peace for a while. */
  #patient = false;
  #ranEmpty = true;
  /** Ends the wait of items for a quieter moment. */
  #holding: NodeJS.Timeout | null = null;
  /** The reader went away before the end. */
  #abandoned = false;
  /** From so many on, what waits is taken without a pause. */
  readonly #mostWaiting: number;
  /** Whoever waits for everything to be taken. */
  #emptied: (() => void)[] = [];
  /** An item was handed out and is worked on. */
  #working = false;

  /**
   * `atOnce` is how many can end at once. When twice as many wait, the same slots have ended twice: that is no burst, and items that are kept
   * alive for a quieter moment that does not come cost the collector more than they take to record.
   */
  constructor(atOnce: number | null = null) {
    this.#mostWaiting = Math.min(largestBurst, Math.max(smallestBurst, 2 * (atOnce ?? largestBurst)));
  }

  push(item: Recorded<T>): void {
    this.#items.push(item);
    if (this.#holding === null || this.#items.length - this.#taken >= this.#mostWaiting) this.#nudge();
  }

  /** Settles when all that was pushed is taken and worked on, or nobody takes any more; nothing waits for a quieter moment until then. */
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
    if (this.#working) {
      this.#share.end(nowMs);
      this.#pace.end(nowMs);
    }
    this.#working = false;
    const waiting = this.#items.length - this.#taken;
    if (waiting > 0) {
      const holdMs = waiting < this.#mostWaiting ? this.#holdMs(nowMs) : 0;
      if (holdMs > 0) return this.#nextWoken(holdMs);
      if (this.#share.spent && waiting < this.#mostWaiting) return this.#nextRound();
      this.#share.begin(nowMs);
      this.#pace.begin(nowMs);
      this.#working = true;
      const value = this.#items[this.#taken++]!.record();
      // What was taken is let go soon, also while the queue never runs empty.
      if (waiting === 1 || (this.#taken >= keptTaken && this.#taken >= waiting)) {
        this.#items = waiting === 1 ? [] : this.#items.slice(this.#taken);
        this.#taken = 0;
      }
      return Promise.resolve({ value, done: false });
    }
    this.#tellEmptied();
    this.#patience.left(nowMs, false);
    this.#ranEmpty = true;
    if (this.#end === 'closed') return Promise.resolve({ value: undefined, done: true });
    if (this.#end !== 'open') return Promise.reject(this.#end.failure as Error);
    return this.#nextWoken(null);
  }

  /** For how long what waits is still left alone; 0 = not any more. */
  #holdMs(nowMs: number): number {
    if (this.#end !== 'open' || this.#emptied.length > 0) return 0;
    const leftMs = this.#patience.left(nowMs, true);
    this.#patient = this.#ranEmpty ? leftMs >= worthPatienceMs : this.#patient && leftMs > 0;
    this.#ranEmpty = false;
    if (!this.#patient) return 0;
    return leftMs > pacedPatienceMs ? leftMs - pacedPatienceMs : this.#pace.restMs(nowMs);
  }

  /** Goes on when there is reason to, at the latest after so long. */
  #nextWoken(afterMs: number | null): Promise<IteratorResult<T>> {
    return new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (afterMs !== null) this.#holding = setTimeout(() => this.#nudge(), afterMs);
    }).then(() => this.#next());
  }

  async #nextRound(): Promise<IteratorResult<T>> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    return this.#next();
  }

  #tellEmptied(): void {
    for (const tell of this.#emptied.splice(0)) tell();
  }

  #nudge(): void {
    if (this.#holding !== null) clearTimeout(this.#holding);
    this.#holding = null;
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }
}
