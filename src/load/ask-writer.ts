import { invariant } from '../core/index.ts';
import type { Ask, Prompt } from '../core/index.ts';
import { inputCharsOf } from '../workload/index.ts';

/** An ask as it goes over the wire. */
export interface WrittenAsk {
  ask: Ask;
  text: string;
  inputChars: number;
}

/** What asks are written from. */
export interface AskWriterParts {
  /** Prompt `number`, at once where it has been read. */
  prompt(number: number): Prompt | null | Promise<Prompt | null>;
  ask(number: number, prompt: Prompt): Ask;
  encode(ask: Ask): string;
}

/** Writes asks by their number; one of them ahead of its time, so that what is left to do when it comes due is sending. */
export class AskWriter {
  readonly #parts: AskWriterParts;
  #ahead: { number: number; written: WrittenAsk | Promise<WrittenAsk> } | null = null;

  constructor(parts: AskWriterParts) {
    this.#parts = parts;
  }

  /** Ask `number` will be taken next. */
  writeAhead(number: number, prompt?: Prompt): void {
    if (this.#ahead?.number === number) return;
    const written = this.#write(number, prompt);
    // Whoever takes it hears of a prompt that cannot be read; until then nobody does.
    if (written instanceof Promise) written.catch(() => {});
    this.#ahead = { number, written };
  }

  /** Ask `number` with its prompt, where that is known already, else with the workload's. */
  take(number: number, prompt?: Prompt): WrittenAsk | Promise<WrittenAsk> {
    const ahead = this.#ahead;
    this.#ahead = null;
    return ahead?.number === number ? ahead.written : this.#write(number, prompt);
  }

  #write(number: number, known?: Prompt): WrittenAsk | Promise<WrittenAsk> {
    const prompt = known ?? this.#parts.prompt(number);
    return prompt instanceof Promise
      ? prompt.then((read) => this.#written(number, read))
      : this.#written(number, prompt);
  }

  #written(number: number, prompt: Prompt | null): WrittenAsk {
    invariant(prompt !== null, 'a workload has as many prompts as the plan asks for');
    const ask = this.#parts.ask(number, prompt);
    return { ask, text: this.#parts.encode(ask), inputChars: inputCharsOf(prompt) };
  }
}
