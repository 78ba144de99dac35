import type { Answer, Prompt } from '../../core/index.ts';
import type { PacerLimits } from './pacer.ts';

/** One ask of a conversation. */
export interface Turn {
  prompt: Prompt;
  /** Its place among the turns of all conversations, one after the other, from 0. */
  number: number;
  /** Turns that follow it within the plan's count. */
  more: number;
  /** When it is to be asked, on the phase's clock; null = as soon as a slot is free. */
  dueMs: number | null;
  /** It is the first of its conversation. */
  opens: boolean;
}

/** A conversation that is to begin. */
export interface NewConversation {
  prompt: Prompt;
  /** Turns of all conversations before it: they come first out of the plan's count. */
  turnsBefore: number;
  /** When it is to begin; null = as soon as a slot is free. */
  dueMs: number | null;
}

/**
 * Which turns of which conversations are to be asked, and when. A count of requests is dealt out to the conversations in
 * their order, the last one cut short, so that the same turns are asked whatever the timing and the number of threads.
 */
export class ConversationQueue {
  /** Next turns of conversations under way, by the time they come due. */
  readonly #turns: (Turn & { dueMs: number })[] = [];
  #new: Turn | null = null;
  #noMore = false;

  constructor(private readonly limits: PacerLimits) {}

  /** Whether another conversation may be put at hand. */
  get wantsNew(): boolean {
    return this.#new === null && !this.#noMore;
  }

  /** Whether the plan's count has a turn left for it. */
  hasRoomFor({ turnsBefore }: NewConversation): boolean {
    return turnsBefore < (this.limits.requests ?? Infinity);
  }

  /** Puts the next conversation at hand; null = nobody will begin any more. */
  begin(opened: NewConversation | null): void {
    if (opened === null || !this.hasRoomFor(opened) || this.#noMore) {
      this.#noMore = true;
      return;
    }
    const { prompt, turnsBefore, dueMs } = opened;
    const allowed = (this.limits.requests ?? Infinity) - turnsBefore;
    this.#new = { prompt, number: turnsBefore, more: Math.min(prompt.turns ?? 1, allowed) - 1, dueMs, opens: true };
  }

  /** The turn to ask now: the next one of a conversation under way, else a new conversation; null = none is due. */
  take(nowMs: number): Turn | null {
    const turn = this.#turns[0];
    if (turn !== undefined && turn.dueMs <= nowMs) return this.#turns.shift()!;
    const first = this.#new;
    if (first === null || (first.dueMs ?? nowMs) > nowMs) return null;
    this.#new = null;
    return first;
  }

  /** Whether a conversation is at hand to begin, now or at its time. */
  get hasNew(): boolean {
    return this.#new !== null;
  }

  /** Conversations under way that wait for their next turn. */
  get waiting(): number {
    return this.#turns.length;
  }

  /** Whether `take` would give something. */
  hasDue(nowMs: number): boolean {
    if (this.#new !== null && (this.#new.dueMs ?? nowMs) <= nowMs) return true;
    return this.#turns.length > 0 && this.#turns[0]!.dueMs <= nowMs;
  }

  /** When the next turn comes due by itself; Infinity = not before an answer comes or a slot is free. */
  get nextMs(): number {
    return Math.min(this.#turns[0]?.dueMs ?? Infinity, this.#new?.dueMs ?? Infinity);
  }

  /** Nothing is left to ask, unless an answer that is still to come leads on. */
  get empty(): boolean {
    return this.#noMore && this.#new === null && this.#turns.length === 0;
  }

  /** Notes how a turn ended (null = not well) and gives the number of turns that are lost with its conversation. */
  ended({ prompt, more, number }: Turn, answer: Answer | null, endMs: number): number {
    if (more === 0) return 0;
    const next = answer === null ? null : (prompt.follow?.(answer) ?? null);
    if (next === null) return more;
    const dueMs = endMs + (next.thinkMs ?? 0);
    if (dueMs >= (this.limits.durationMs ?? Infinity)) return 0;
    let at = this.#turns.length;
    while (at > 0 && this.#turns[at - 1]!.dueMs > dueMs) at--;
    this.#turns.splice(at, 0, { prompt: next, number: number + 1, more: more - 1, dueMs, opens: false });
    return 0;
  }

  /** What is at hand is not said; conversations may still begin. */
  drop(): void {
    this.#turns.length = 0;
    this.#new = null;
  }

  /** Nobody says anything any more. */
  forget(): void {
    this.drop();
    this.#noMore = true;
  }
}
