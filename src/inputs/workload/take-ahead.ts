import type { Prompt, Workload } from '../../core/index.ts';
import { invariant } from '../../core/index.ts';

/** A workload that holds prompts ready: `next` answers at once, and not with a promise, whenever one is in stock. */
export interface AheadWorkload extends Workload {
  /** Settles when the stock is full or the source has ended; rejects when the source failed among those prompts. */
  ready(): Promise<void>;
}

/**
 * Reads up to `ahead` prompts of a workload before they are wanted, and goes on as they are taken.
 * Order is kept. A failure of the source comes out of `next` at its place, after every prompt before it, and stays.
 */
export function takeAhead(source: Workload, ahead: number): AheadWorkload {
  invariant(Number.isInteger(ahead) && ahead >= 1, 'at least one prompt is read ahead');
  const stock = new Stock();
  let filling: Promise<void> | null = null;

  const refill = (): void => {
    if (filling !== null) return;
    try {
      while (stock.end === null && stock.size < ahead) {
        const read = source.next();
        // A source that never waits costs no promise: it is asked at every send.
        if (read instanceof Promise) {
          filling = goOn(read);
          return;
        }
        stock.put(read);
      }
    } catch (failure) {
      stock.fail(failure);
    }
  };
  const goOn = async (reading: Promise<Prompt | null>): Promise<void> => {
    try {
      stock.put(await reading);
    } catch (failure) {
      stock.fail(failure);
    }
    filling = null;
    refill();
  };
  const take = (): Prompt | null => {
    const prompt = stock.take();
    refill();
    return prompt;
  };
  const waitAndTake = async (): Promise<Prompt | null> => {
    while (stock.size === 0 && stock.end === null) {
      refill();
      await stock.changed();
    }
    return take();
  };

  refill();
  return {
    next: () => (stock.size > 0 || stock.end !== null ? take() : waitAndTake()),
    async ready() {
      while (filling !== null) await filling;
      if (stock.end !== null && stock.end !== 'ended') throw stock.end.failure;
    },
  };
}

/** Prompts between the reader and the sender, first in, first out. */
class Stock {
  /** How the source ended; null = it has not. */
  end: 'ended' | { failure: unknown } | null = null;
  readonly #prompts: Prompt[] = [];
  // Taken from the front by index: shifting a long array at every send costs.
  #taken = 0;
  #waiting: (() => void)[] = [];

  get size(): number {
    return this.#prompts.length - this.#taken;
  }

  put(prompt: Prompt | null): void {
    if (prompt === null) this.end = 'ended';
    else this.#prompts.push(prompt);
    this.#wake();
  }

  fail(failure: unknown): void {
    this.end = { failure };
    this.#wake();
  }

  /** The oldest prompt; with none left, null, or the failure thrown. */
  take(): Prompt | null {
    if (this.size === 0) {
      if (this.end !== null && this.end !== 'ended') throw this.end.failure;
      return null;
    }
    const prompt = this.#prompts[this.#taken++]!;
    if (this.#taken >= 256) {
      this.#prompts.splice(0, this.#taken);
      this.#taken = 0;
    }
    return prompt;
  }

  /** Resolves at the next put or fail. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
