import type { Answer } from './answer.ts';

/** So long after the last of them was put in heads are sent, wall clock: who asks together with others has then been read with them. */
const laterMs = 2;
/** But nobody waits for longer. */
const mostMs = 10;
/** So many are sent before somebody looks whether there is something more urgent. */
const sliceHeads = 8;
/** None are begun so shortly before tokens leave. */
const clearMs = 1;

/**
 * Heads of streamed answers that are still to be sent. Each takes as long as a quarter of reading a request; sent at once, they would hold up
 * others that ask at the same moment, and wake clients that are about to.
 */
export class Heads {
  #waiting: { answer: Answer; sinceMs: number }[] = [];
  #timer: NodeJS.Timeout | null = null;
  #immediate: NodeJS.Immediate | null = null;

  /** quietMs = for how long the engine has nothing to do, wall clock. */
  constructor(
    private readonly nowMs: () => number,
    private readonly quietMs: () => number,
  ) {}

  add(answer: Answer): void {
    this.#waiting.push({ answer, sinceMs: this.nowMs() });
    if (this.#immediate !== null) return;
    if (this.#timer === null) this.#timer = setTimeout(this.#look, laterMs);
    else if (this.nowMs() - this.#waiting[0]!.sinceMs < mostMs - laterMs) this.#timer.refresh();
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#immediate !== null) clearImmediate(this.#immediate);
    this.#timer = null;
    this.#immediate = null;
  }

  readonly #look = (): void => {
    this.stop();
    this.#waiting = this.#waiting.filter(({ answer }) => answer.owesHead);
    if (this.quietMs() > clearMs) for (const { answer } of this.#waiting.splice(0, sliceHeads)) answer.sendHead();
    else if (this.#waiting.length > 0) {
      this.#timer = setTimeout(this.#look, 1);
      return;
    }
    if (this.#waiting.length > 0) this.#immediate = setImmediate(this.#look);
  };
}
