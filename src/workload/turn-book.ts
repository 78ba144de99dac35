import type { Answer, Prompt } from '../core/index.ts';

/** One ask of a conversation. */
export interface Turn {
  prompt: Prompt;
  /** Its place among the turns of all conversations, one after the other, from 0. */
  number: number;
  /** Turns that follow it within the plan's count. */
  more: number;
  /** When it is to be asked, on the phase's clock; null = as soon as a slot is free. */
  dueMs: number | null;
}

/** A conversation that is to begin. */
export interface Opening {
  prompt: Prompt;
  /** Turns of all conversations before it: they come first out of the plan's count. */
  turnsBefore: number;
  /** When it is to begin; null = as soon as a slot is free. */
  dueMs: number | null;
}

/** What gives one conversation after the other; null = nobody will begin any more, 'later' = none is known yet. */
export type Openings = () => Opening | null | 'later' | Promise<Opening | null | 'later'>;

/** Where a phase of conversations ends; null = that limit is not set. */
export interface TurnLimits {
  requests: number | null;
  durationMs: number | null;
}

/**
 * Which turns of which conversations are to be asked, and when. A count of requests is dealt out to the conversations in
 * their order, the last one cut short, so that the same turns are asked whatever the timing and the number of threads.
 */
export class TurnBook {
  readonly #limits: TurnLimits;
  readonly #open: Openings;
  /** Next turns of conversations under way, by the time they come due. */
  readonly #turns: (Turn & { dueMs: number })[] = [];
  #opening: Turn | null = null;
  #noMoreOpenings = false;

  constructor(limits: TurnLimits, open: Openings) {
    this.#limits = limits;
    this.#open = open;
  }

  /** Gets the next conversation at hand; a promise = it is still being read. */
  prepare(): Promise<void> | null {
    if (this.#opening !== null || this.#noMoreOpenings) return null;
    const opening = this.#open();
    if (opening instanceof Promise) return opening.then((read) => this.#keep(read));
    this.#keep(opening);
    return null;
  }

  /** The turn to ask now: the next one of a conversation under way, else a new conversation; null = none is due. */
  take(nowMs: number): Turn | null {
    const turn = this.#turns[0];
    if (turn !== undefined && turn.dueMs <= nowMs) return this.#turns.shift()!;
    const opening = this.#opening;
    if (opening === null || (opening.dueMs ?? nowMs) > nowMs) return null;
    this.#opening = null;
    return opening;
  }

  /** Whether a conversation is at hand to begin, now or at its time. */
  get hasOpening(): boolean {
    return this.#opening !== null;
  }

  /** Conversations under way that wait for their next turn. */
  get waiting(): number {
    return this.#turns.length;
  }

  /** Whether `take` would give something. */
  hasDue(nowMs: number): boolean {
    if (this.#opening !== null && (this.#opening.dueMs ?? nowMs) <= nowMs) return true;
    return this.#turns.length > 0 && this.#turns[0]!.dueMs <= nowMs;
  }

  /** When the next turn comes due by itself; Infinity = not before an answer comes or a slot is free. */
  get nextMs(): number {
    return Math.min(this.#turns[0]?.dueMs ?? Infinity, this.#opening?.dueMs ?? Infinity);
  }

  /** Users that are thinking. */
  thinking(nowMs: number): number {
    return this.#turns.reduce((count, { dueMs }) => count + (dueMs > nowMs ? 1 : 0), 0);
  }

  /** Nothing is left to ask, unless an answer that is still to come leads on. */
  get empty(): boolean {
    return this.#noMoreOpenings && this.#opening === null && this.#turns.length === 0;
  }

  /** Notes how a turn ended (null = not well) and gives the number of turns that are lost with its conversation. */
  ended({ prompt, more, number }: Turn, answer: Answer | null, endMs: number): number {
    if (more === 0) return 0;
    const next = answer === null ? null : (prompt.follow?.(answer) ?? null);
    if (next === null) return more;
    const dueMs = endMs + (next.thinkMs ?? 0);
    if (dueMs >= (this.#limits.durationMs ?? Infinity)) return 0;
    let at = this.#turns.length;
    while (at > 0 && this.#turns[at - 1]!.dueMs > dueMs) at--;
    this.#turns.splice(at, 0, { prompt: next, number: number + 1, more: more - 1, dueMs });
    return 0;
  }

  /** What is at hand is not said; conversations may still begin. */
  drop(): void {
    this.#turns.length = 0;
    this.#opening = null;
  }

  /** Nobody says anything any more. */
  forget(): void {
    this.drop();
    this.#noMoreOpenings = true;
  }

  #keep(opening: Opening | null | 'later'): void {
    if (opening === 'later') return;
    const allowed = (this.#limits.requests ?? Infinity) - (opening?.turnsBefore ?? 0);
    if (opening === null || allowed <= 0 || this.#noMoreOpenings) {
      this.#noMoreOpenings = true;
      return;
    }
    const { prompt, turnsBefore, dueMs } = opening;
    this.#opening = { prompt, number: turnsBefore, more: Math.min(prompt.turns ?? 1, allowed) - 1, dueMs };
  }
}
