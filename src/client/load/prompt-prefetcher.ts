import type { NewConversation } from '../../inputs/arrival/index.ts';
import type { Prompt, Workload } from '../../core/index.ts';
import { takeAhead } from '../../inputs/workload/index.ts';
import type { AheadWorkload } from '../../inputs/workload/index.ts';

/** The prompts of a run by their number, read ahead; numbers may be left out, and one that was passed is read anew. */
export class PromptPrefetcher {
  readonly #open: () => Workload;
  readonly #ahead: AheadWorkload;
  #read = 0;
  #turns = 0;
  /** Turns of all prompts before the last one taken; a prompt outside a conversation is one turn. */
  #turnsBefore = 0;
  /** A second reader, for numbers that this one has passed: requests that another machine could not send. */
  #behind: PromptPrefetcher | null = null;

  /** A prompt is the first turn of a conversation. */
  readonly conversations: boolean;

  constructor(open: () => Workload, ahead: number) {
    const workload = open();
    this.#open = open;
    this.#ahead = takeAhead(workload, ahead);
    this.conversations = workload.conversations === true;
  }

  /** Settles when the first prompts are at hand. */
  ready(): Promise<void> {
    return this.#ahead.ready();
  }

  /** Prompt `number`, at once where it has been read; those before it are passed over. */
  take(number: number): Prompt | null | Promise<Prompt | null> {
    if (number < this.#read) {
      if (this.#behind === null || number < this.#behind.#read) this.#behind = new PromptPrefetcher(this.#open, 1);
      const line = this.#behind;
      const found = line.take(number);
      this.#turnsBefore = line.#turnsBefore;
      return found instanceof Promise ? found.then((read) => ((this.#turnsBefore = line.#turnsBefore), read)) : found;
    }
    while (this.#read < number) {
      const passed = this.#ahead.next();
      if (passed instanceof Promise) return passed.then((read) => (this.#count(read), this.take(number)));
      this.#count(passed);
    }
    const taken = this.#ahead.next();
    if (taken instanceof Promise) return taken.then((read) => this.#count(read));
    return this.#count(taken);
  }

  /** Conversation `number`, to begin at `dueMs`. */
  open(number: number, dueMs: number | null): NewConversation | null | Promise<NewConversation | null> {
    const taken = this.take(number);
    const opened = (prompt: Prompt | null): NewConversation | null =>
      prompt === null ? null : { prompt, dueMs, turnsBefore: this.#turnsBefore };
    return taken instanceof Promise ? taken.then(opened) : opened(taken);
  }

  #count(prompt: Prompt | null): Prompt | null {
    this.#read += 1;
    this.#turnsBefore = this.#turns;
    this.#turns += prompt?.turns ?? 1;
    return prompt;
  }
}

/** Prompts held ready: enough that a burst of ends finds the next ones there. */
export function promptsAhead(concurrency: number | null): number {
  return Math.min(1024, Math.max(64, concurrency ?? 256));
}
