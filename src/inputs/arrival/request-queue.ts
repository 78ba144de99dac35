import type { Answer, LoadShape } from '../../core/index.ts';
import type { Turn } from './conversation-queue.ts';
import { Conversations } from './conversations.ts';
import type { ConversationParts } from './conversations.ts';
import type { RequestSource } from './request-source.ts';
import type { PacerLimits, WaitUntil } from './pacer.ts';
import { isCount, isDealt } from './request-dealer.ts';
import type { RequestDealer } from './request-dealer.ts';

/** A request that was dealt: its number, when it is due on the run's clock, and what it says where that is a turn. */
export interface DueRequest {
  seq: number;
  dueMs: number;
  turn: Turn | null;
}

/**
 * A request to send now; when to ask again (a promise: once it settles; `wait`: when something ends or whoever deals wakes);
 * `again`: one was held or dropped, and there may be more.
 */
export type Move = DueRequest | WaitUntil | Promise<void> | 'again' | 'wait' | 'done';

/** What the requests of one phase at one place are queued from. */
export interface RequestQueueParts {
  load: LoadShape;
  limits: PacerLimits;
  requestSource: RequestSource;
  /** Opens a conversation; null = every prompt is asked once and by itself. */
  open: ConversationParts['open'] | null;
  /** One that came due while every slot was taken, where the load says that it is then not sent. */
  dropped(request: DueRequest): void;
}

/** Who may not send looks so soon again whether it may. */
const lookAgainMs = 100;

/** The requests of one phase at one place as they may be sent; what comes due while every slot is taken is held or dropped. */
export class RequestQueue {
  readonly #talks: Conversations | null;
  readonly #dealer: RequestDealer;
  /** Requests whose time came while every slot was taken. */
  readonly #held: DueRequest[] = [];
  #next: DueRequest | null = null;
  #dealtOut = false;
  #sent = 0;
  /** When the phase begins, on the run's clock. */
  originMs = Infinity;
  /** Requests that came due. */
  due = 0;

  constructor(private readonly parts: RequestQueueParts) {
    const { load, limits, requestSource, open } = parts;
    this.#talks = open === null ? null : new Conversations({ load, limits, requestSource, open });
    this.#dealer = this.#talks ?? requestSource.dealer;
  }

  /** The request that is sent next, at its time; null = that, or which turn it says, is known only then. */
  get upcoming(): DueRequest | null {
    const isKnown = this.#held.length === 0 && (this.#talks === null || this.#next?.turn !== null);
    return isKnown ? this.#next : null;
  }

  /** Dealt and not sent: held, or waiting for its moment; one dealt for now may come due a rounding error later. */
  get #dealt(): number {
    return this.#held.length + (this.#next === null ? 0 : 1);
  }

  /** Slots in use beside those of what is in flight, by users between two turns too. */
  get reserved(): number {
    return this.#dealt + (this.#talks?.waiting ?? 0);
  }

  /** Nothing more comes due, and nothing waits for a slot. */
  get isOver(): boolean {
    return this.#dealtOut && this.#held.length === 0;
  }

  /** What to do now, with so many requests in flight. */
  next(nowMs: number, inFlight: number): Move {
    const { requestSource, load } = this.parts;
    if (!this.#dealtOut && requestSource.maySend?.() === false) return { untilMs: nowMs + lookAgainMs };
    const view = { sent: this.#sent, inFlight: inFlight + this.#dealt, nowMs: nowMs - this.originMs };
    const reading = this.#talks?.prepare(view) ?? null;
    if (reading !== null) return reading;
    const hasSlot = inFlight < (requestSource.slots() ?? Infinity);
    if (this.#held.length > 0 && hasSlot) return this.#said(this.#held.shift()!, view.nowMs);
    if (this.#next === null) {
      const dealt = this.#dealtOut ? 'done' : this.#dealer.next(view);
      if (dealt === 'done') this.#dealtOut = true;
      if (typeof dealt === 'string') return dealt;
      // The moment is the one that the dealer looked at: what is due and found no slot goes out when something ends.
      if (!isDealt(dealt)) return dealt.untilMs > view.nowMs ? { untilMs: dealt.untilMs + this.originMs } : 'wait';
      this.#next = { seq: dealt.seq, dueMs: dealt.atMs + this.originMs, turn: dealt.turn ?? null };
    }
    const next = this.#next;
    if (next.dueMs > nowMs) return { untilMs: next.dueMs };
    this.#next = null;
    this.due++;
    if (hasSlot) return this.#said(next, view.nowMs);
    if (load.dropLate) this.parts.dropped(next);
    else this.#held.push(next);
    return 'again';
  }

  /** Nothing more is sent: tells of each request that was planned and is not sent; null = its time had not come. */
  stop(unsent: (seq: number, dueMs: number | null) => void): void {
    this.#dealtOut = true;
    this.#talks?.forget();
    for (const { seq, dueMs } of this.#held.splice(0)) unsent(seq, dueMs);
    // A plan that is a count planned the rest too, whether or not its time came; with a duration, only what was due.
    const tell = (seq: number): void => {
      this.due++;
      unsent(seq, null);
    };
    let rest = this.#dealer.rest();
    if (this.#next !== null && (rest !== null || isCount(this.parts.limits))) tell(this.#next.seq);
    this.#next = null;
    for (; rest !== null; rest = this.#dealer.rest()) tell(rest);
  }

  /** Notes how a turn ended (null = not well) and gives the numbers of planned turns that are lost with its conversation. */
  ended(turn: Turn, answer: Answer | null, endMs: number): readonly number[] {
    const lost = this.#dealtOut ? [] : this.#talks!.ended(turn, answer, endMs - this.originMs);
    this.due += lost.length;
    return lost;
  }

  /** At a rate of requests, the turn that is ready when one leaves is what it says. */
  #said(request: DueRequest, sinceMs: number): DueRequest | 'wait' {
    if (this.#talks !== null) {
      request.turn ??= this.#talks.take(sinceMs);
      if (request.turn === null) {
        // Which conversation begins is not known yet: the request leaves as soon as it is, late.
        this.#held.unshift(request);
        return 'wait';
      }
    }
    this.#sent++;
    return request;
  }
}
