import { invariant } from '../../core/index.ts';
import type { Ask, Prompt } from '../../core/index.ts';
import { inputCharsOf } from '../../inputs/workload/index.ts';

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

/** Where there is time for it, an ask is written so long after the one before was sent: its server may need this very processor to read it. */
const restMs = 2;
/** There is, if the ask comes due later than that. */
const soonMs = 3 * restMs;

interface Ahead {
  number: number;
  /** null = it will be, when there is time. */
  written: WrittenAsk | Promise<WrittenAsk> | null;
}

/** Writes asks by their number; one of them ahead of its time, so that what is left to do when it comes due is sending. */
export class RequestSerializer {
  #ahead: Ahead | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(private readonly parts: AskWriterParts) {}

  /** Ask `number` will be taken next, in so many milliseconds. */
  writeAhead(number: number, inMs: number, prompt?: Prompt): void {
    if (this.#ahead?.number === number) return;
    this.#forget();
    const ahead: Ahead = { number, written: inMs > soonMs ? null : this.#writeQuietly(number, prompt) };
    if (ahead.written === null)
      this.#timer = setTimeout(() => (ahead.written = this.#writeQuietly(number, prompt)), restMs);
    this.#ahead = ahead;
  }

  /** Ask `number` with its prompt, where that is known already, else with the workload's. */
  take(number: number, prompt?: Prompt): WrittenAsk | Promise<WrittenAsk> {
    const ahead = this.#ahead;
    this.#forget();
    return (ahead?.number === number ? ahead.written : null) ?? this.#write(number, prompt);
  }

  #forget(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#ahead = null;
  }

  /** A prompt that cannot be read fails when its body is taken, and not before. */
  #writeQuietly(number: number, prompt?: Prompt): WrittenAsk | Promise<WrittenAsk> {
    try {
      const written = this.#write(number, prompt);
      if (written instanceof Promise) written.catch(() => {});
      return written;
    } catch (failure) {
      const failed = Promise.reject(failure);
      failed.catch(() => {});
      return failed;
    }
  }

  #write(number: number, known?: Prompt): WrittenAsk | Promise<WrittenAsk> {
    const prompt = known ?? this.parts.prompt(number);
    return prompt instanceof Promise
      ? prompt.then((read) => this.#written(number, read))
      : this.#written(number, prompt);
  }

  #written(number: number, prompt: Prompt | null): WrittenAsk {
    invariant(prompt !== null, 'a workload has as many prompts as the plan asks for');
    const ask = this.parts.ask(number, prompt);
    return { ask, text: this.parts.encode(ask), inputChars: inputCharsOf(prompt) };
  }
}
