import type { Answer, LoadShape } from '../../core/index.ts';
import { ConversationQueue } from './conversation-queue.ts';
import type { NewConversation, Turn } from './conversation-queue.ts';
import type { RequestSource } from './request-source.ts';
import type { PacerLimits, PacerView } from './pacer.ts';
import { isCount, isDealt } from './request-dealer.ts';
import type { Deal, RequestDealer } from './request-dealer.ts';

/** Who decides when a turn is asked: a free slot, the rate of requests, or the rate of conversations. */
export type ConversationPacing = 'slots' | 'requests' | 'sessions';

export function conversationPacing(load: LoadShape): ConversationPacing {
  if (load.kind === 'closed') return 'slots';
  return load.sessions === true ? 'sessions' : 'requests';
}

/** What the conversations of a place are dealt from. */
export interface ConversationParts {
  load: LoadShape;
  limits: PacerLimits;
  requestSource: RequestSource;
  /** Conversation `number`, to begin at `dueMs` (null = as soon as a slot is free); null = there is none. */
  open(number: number, dueMs: number | null): NewConversation | null | Promise<NewConversation | null>;
}

const none: readonly number[] = [];

/** Deals out the turns of the conversations that this place holds, each from its first to its last. */
export class Conversations implements RequestDealer {
  readonly #pacing: ConversationPacing;
  readonly #queue: ConversationQueue;
  /** When the dealer has to be asked again for a conversation to begin. */
  #againMs = Infinity;

  constructor(private readonly parts: ConversationParts) {
    this.#pacing = conversationPacing(parts.load);
    // At a rate of requests the turn that is ready when a request comes due is taken: which one, the server decides.
    this.#queue = new ConversationQueue(
      this.#pacing === 'requests' ? { ...parts.limits, requests: null } : parts.limits,
    );
  }

  /** Users of this place between two requests, and one that is to begin. */
  get waiting(): number {
    return this.#queue.waiting + (this.#queue.hasNew ? 1 : 0);
  }

  /** Gets the next conversation at hand, where one may begin; a promise = it is still being read. */
  prepare(view: PacerView): Promise<void> | null {
    if (!this.#queue.wantsNew) return null;
    const opened = this.#open(view);
    if (opened instanceof Promise) return opened.then((read) => this.#begin(read));
    this.#begin(opened);
    return null;
  }

  /** As a dealer, each request with the turn it says but at a rate of requests. */
  next(view: PacerView): Deal {
    const { limits, requestSource } = this.parts;
    const { nowMs } = view;
    if (this.#pacing === 'slots' && nowMs >= (limits.durationMs ?? Infinity)) this.#queue.drop();
    if (!this.#queue.hasDue(nowMs)) {
      if (this.#queue.empty && view.inFlight === 0) return 'done';
      const untilMs = Math.min(this.#queue.nextMs, this.#againMs);
      return untilMs > nowMs && untilMs < Infinity ? { untilMs } : 'wait';
    }
    if (this.#pacing === 'requests') return requestSource.dealer.next(view);
    const turn = this.#queue.take(nowMs)!;
    const seq = requestSource.nextTurn === undefined ? turn.number : requestSource.nextTurn();
    if (seq === null) return 'done';
    // A user who thinks keeps the slot: the turn after is due as soon as it can be asked.
    return { seq, atMs: this.#pacing === 'slots' && !turn.opens ? nowMs : (turn.dueMs ?? nowMs), turn };
  }

  rest(): number | null {
    return this.parts.requestSource.dealer.rest();
  }

  /** At a rate of requests, the turn that the one due now says; null = which conversation begins is not known yet. */
  take(nowMs: number): Turn | null {
    return this.#queue.take(nowMs);
  }

  /** Notes how a turn ended (null = not well) and gives the numbers of planned turns that are lost with its conversation. */
  ended(turn: Turn, answer: Answer | null, endMs: number): readonly number[] {
    const { limits, requestSource } = this.parts;
    const lost = this.#queue.ended(turn, answer, endMs);
    if (lost === 0 || this.#pacing === 'requests' || !isCount(limits)) return none;
    return Array.from({ length: lost }, (_, i) => requestSource.nextTurn?.() ?? turn.number + 1 + i);
  }

  /** Nobody says anything any more. */
  forget(): void {
    this.#queue.forget();
  }

  #begin(opened: NewConversation | null | 'later'): void {
    if (opened !== 'later') this.#queue.begin(opened);
  }

  #open(view: PacerView): NewConversation | null | 'later' | Promise<NewConversation | null | 'later'> {
    const { requestSource, open } = this.parts;
    if (this.#pacing === 'requests') {
      const number = requestSource.beginConversation();
      return typeof number === 'number' ? this.#within(open(number, null)) : number;
    }
    // A user who thinks, or whose turn is due, has a slot of the closed loop.
    const dealt = requestSource.dealer.next({ ...view, inFlight: view.inFlight + this.#queue.waiting });
    this.#againMs = typeof dealt !== 'string' && 'untilMs' in dealt ? dealt.untilMs : Infinity;
    if (dealt === 'done') return null;
    return isDealt(dealt) ? this.#within(open(dealt.seq, dealt.atMs)) : 'later';
  }

  /** A conversation, unless the plan's count is used up by those before it. */
  #within(
    opened: NewConversation | null | Promise<NewConversation | null>,
  ): NewConversation | null | 'later' | Promise<NewConversation | null | 'later'> {
    if (opened instanceof Promise) return opened.then((read) => this.#within(read));
    if (opened !== null && this.#queue.hasRoomFor(opened)) return opened;
    const { requestSource } = this.parts;
    if (requestSource.exhausted === undefined) return null;
    requestSource.exhausted();
    return 'later';
  }
}
