import { performance } from 'node:perf_hooks';

/** Things to be done later, in the order they were put in. */
export class DelayLine {
  readonly #queue: { atMs: number; act: () => void }[] = [];
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;

  /** atMs is on the clock of performance.now. */
  push(atMs: number, act: () => void): void {
    this.#queue.push({ atMs, act });
    this.#timer ??= setTimeout(this.#look, this.#leftMs());
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #leftMs(): number {
    return Math.max(0, this.#queue[0]!.atMs - performance.now());
  }

  readonly #look = (): void => {
    this.#timer = null;
    while (!this.#stopped && this.#queue.length > 0 && this.#queue[0]!.atMs <= performance.now() + 0.5) {
      this.#queue.shift()!.act();
    }
    if (!this.#stopped && this.#queue.length > 0) this.#timer = setTimeout(this.#look, this.#leftMs());
  };
}
