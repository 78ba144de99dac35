import type { PacerLimits, PacerView } from '../arrival/index.ts';
import type { LoadShape } from '../core/index.ts';
import { TurnBook } from '../workload/index.ts';
import type { Opening, Turn } from '../workload/index.ts';
import type { Deal, Dealer, TalkSource } from './dealer.ts';
import type { PromptLine } from './prompt-line.ts';
import { openingOf, talkModeOf } from './talks.ts';
import type { TalkMode } from './talks.ts';

/** What the conversations of one of several machines are dealt out from. */
export interface DealtTalkParts {
  load: LoadShape;
  limits: PacerLimits;
  prompts: PromptLine;
  dealer: Dealer;
  source: TalkSource;
}

/**
 * The turns of the conversations that this machine of several holds, each from its first to its last. By slots and by sessions the
 * dealer's numbers are conversations, and a turn's number is its place among the turns of all of them: nobody needs to be
 * asked for it. At a rate of requests the dealer's numbers are those of the asks, as without conversations.
 */
export class DealtTalks {
  readonly book: TurnBook;
  readonly dealer: Dealer;
  readonly #parts: DealtTalkParts;
  readonly #mode: TalkMode;
  #view: PacerView = { sent: 0, inFlight: 0, nowMs: 0 };
  #over = false;

  constructor(parts: DealtTalkParts) {
    this.#parts = parts;
    this.#mode = talkModeOf(parts.load);
    const byRequests = this.#mode === 'requests';
    this.dealer = byRequests ? parts.dealer : { next: () => 'wait', rest: () => null };
    const bounds = byRequests ? { ...parts.limits, requests: null } : parts.limits;
    this.book = new TurnBook(bounds, () => this.#open());
  }

  /** Gets the next conversation at hand, where one may begin; a promise = it is still being read. */
  prepare(view: PacerView): Promise<void> | null {
    this.#view = view;
    const { durationMs } = this.#parts.limits;
    if (this.#mode === 'slots' && durationMs !== null && view.nowMs >= durationMs) this.book.drop();
    return this.book.prepare();
  }

  /** As a dealer, each ask with the turn it says but at a rate of requests. */
  next(view: PacerView): Deal {
    if (this.#over) return 'done';
    if (!this.book.hasDue(view.nowMs) || !this.#parts.source.maySend()) return 'wait';
    if (this.#mode === 'requests') return this.dealer.next(view);
    const turn = this.book.take(view.nowMs)!;
    const atMs = this.#mode === 'sessions' ? (turn.dueMs ?? view.nowMs) : view.nowMs;
    return { atMs, seq: turn.number, turn };
  }

  lostSeq({ number }: Turn, after: number): number {
    return number + 1 + after;
  }

  get losesTurns(): boolean {
    return this.#mode !== 'requests';
  }

  #open(): Opening | 'later' | Promise<Opening | 'later'> {
    const { dealer, source, prompts } = this.#parts;
    if (this.#mode === 'requests') {
      const number = source.number();
      return number === null ? 'later' : this.#within(openingOf(prompts, number, null));
    }
    // A user who thinks, or whose turn is due, has a slot of the closed loop; and nobody is idle while one is here.
    const users = this.#view.inFlight + this.book.waiting;
    const dealt = dealer.next({ ...this.#view, inFlight: users });
    if (dealt === 'done') this.#over = true;
    if (typeof dealt === 'string' || 'untilMs' in dealt) return 'later';
    return this.#within(openingOf(prompts, dealt.seq, this.#mode === 'sessions' ? dealt.atMs : null));
  }

  /** A conversation, unless the plan's count is used up by those before it. */
  #within(found: Opening | null | Promise<Opening | null>): Opening | 'later' | Promise<Opening | 'later'> {
    if (found instanceof Promise) return found.then((read) => this.#within(read) as Opening | 'later');
    const { requests } = this.#parts.limits;
    const isBeyond = this.#mode !== 'requests' && requests !== null && (found?.turnsBefore ?? 0) >= requests;
    if (found !== null && !isBeyond) return found;
    this.#parts.source.exhausted();
    return 'later';
  }
}
