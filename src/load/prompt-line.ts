import type { Prompt, Workload } from '../core/index.ts';
import { takeAhead } from '../workload/index.ts';
import type { AheadWorkload } from '../workload/index.ts';

/** The prompts of a run by their number, read ahead; numbers may be left out, never asked again. */
export class PromptLine {
  readonly #ahead: AheadWorkload;
  #read = 0;

  constructor(workload: Workload, ahead: number) {
    this.#ahead = takeAhead(workload, ahead);
  }

  /** Settles when the first prompts are at hand. */
  ready(): Promise<void> {
    return this.#ahead.ready();
  }

  /** Prompt `number`, at once where it has been read; those before it are passed over. */
  take(number: number): Prompt | null | Promise<Prompt | null> {
    while (this.#read < number) {
      const passed = this.#ahead.next();
      if (passed instanceof Promise) return passed.then(() => ((this.#read += 1), this.take(number)));
      this.#read += 1;
    }
    this.#read = number + 1;
    return this.#ahead.next();
  }
}
