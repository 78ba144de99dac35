import type { Finish } from './engine-events.ts';
import type { Front } from './front/front.ts';
import type { CoreSequence } from './sequence.ts';
import type { StepTimes } from './step-times.ts';

/**
 * Tokens of an ended step that no client has yet. Their times are the end of the step at first, and are corrected when they leave
 * the engine.
 */
export class Untold {
  /** When it comes out of the engine; Infinity = nothing waits. */
  atMs = Infinity;
  tokens = 0;
  finishes: Finish[] = [];
  #waits = false;
  #decoded = false;
  #firsts: CoreSequence[] = [];
  #lasts: CoreSequence[] = [];
  #over: CoreSequence[] = [];

  /** A step ends; `decodes` = its time stands among the steps' times. */
  begin(decodes: boolean): void {
    this.#waits = true;
    this.#decoded = decodes;
    this.tokens = 0;
  }

  /** A prompt is whole and its token made. */
  made(own: CoreSequence, first: boolean): void {
    this.tokens++;
    if (!this.#waits) return;
    this.#lasts.push(own);
    if (first) this.#firsts.push(own);
  }

  /** A stretch of decoding is over with the step. */
  stopped(own: CoreSequence): void {
    if (this.#waits) this.#lasts.push(own);
  }

  over(own: CoreSequence): void {
    if (this.#waits) this.#over.push(own);
  }

  /** It comes out of the engine then. */
  keepBack(finishes: Finish[], atMs: number): this {
    this.finishes = finishes;
    this.atMs = atMs;
    return this;
  }

  /** The tokens leave the engine; the clients have them when the front, if there is one, has passed them on. */
  tell(front: Front | null, times: StepTimes): { toldMs: number; finishes: Finish[] } {
    const toldMs =
      front === null || this.tokens === 0 ? this.atMs : front.deliver(this.atMs, this.tokens, this.#over.length);
    if (this.#decoded) times.mendLast(toldMs);
    for (const own of this.#firsts) {
      own.firstTokenMs = toldMs;
      own.firstMadeMs = this.atMs;
    }
    for (const { earlierMs } of this.#lasts) if (earlierMs !== null) earlierMs[earlierMs.length - 1] = toldMs;
    const { finishes } = this;
    for (const [i, finish] of finishes.entries()) {
      finish.endMs = toldMs;
      finish.firstTokenMs = this.#over[i]!.firstTokenMs;
      finish.madeMs = { first: this.#over[i]!.firstMadeMs, last: this.atMs };
    }
    this.#firsts = [];
    this.#lasts = [];
    this.#over = [];
    this.finishes = [];
    this.#waits = false;
    this.atMs = Infinity;
    return { toldMs, finishes };
  }
}
