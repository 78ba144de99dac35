import { isDue, makePacer } from '../arrival/index.ts';
import type { PacerLimits, PacerView } from '../arrival/index.ts';
import type { LoadShape } from '../core/index.ts';
import { TurnBook } from '../workload/index.ts';
import type { Opening, Turn } from '../workload/index.ts';
import { makeDealer } from './dealer.ts';
import type { Deal, Dealer, Share } from './dealer.ts';
import type { PromptLine } from './prompt-line.ts';

/** Who decides when a turn is asked: a free slot, the rate of requests, or the rate of conversations. */
export type TalkMode = 'slots' | 'requests' | 'sessions';

export function talkModeOf(load: LoadShape): TalkMode {
  if (load.kind === 'closed') return 'slots';
  return load.sessions === true ? 'sessions' : 'requests';
}

/** What a phase of conversations is dealt out from. */
export interface TalkParts {
  load: LoadShape;
  limits: PacerLimits;
  seed: number;
  share: Share | null;
  prompts: PromptLine;
}

/** Deals out the turns of conversations, or this thread's part of them. Conversation k is the same whoever holds it. */
export class Talks {
  readonly book: TurnBook;
  /** Numbers of asks; by slots and by requests it also says when. */
  readonly dealer: Dealer;
  readonly #mode: TalkMode;
  readonly #claim: () => number | null;

  constructor(parts: TalkParts) {
    const { load, limits, seed, share, prompts } = parts;
    this.#mode = talkModeOf(load);
    this.#claim = claimer(limits, share);
    this.dealer =
      this.#mode === 'sessions'
        ? { next: () => 'wait', rest: () => (limits.durationMs === null ? this.#claim() : null) }
        : makeDealer(load, limits, seed, share);
    // At a rate of requests the turn that is ready when an ask comes due is taken: which one, the server decides.
    const bounds = this.#mode === 'requests' ? { ...limits, requests: null } : limits;
    this.book = new TurnBook(bounds, this.#mode === 'sessions' ? arrivals(parts) : starts(share, prompts));
  }

  /** As a dealer; where turns have times of their own, each ask with the turn it says. */
  next(view: PacerView): Deal {
    if (this.#mode === 'requests') return this.dealer.next(view);
    if (!this.book.hasDue(view.nowMs)) return this.book.empty && view.inFlight === 0 ? 'done' : 'wait';
    if (this.#mode === 'slots') {
      const dealt = this.dealer.next({ ...view, inFlight: view.inFlight + this.book.thinking(view.nowMs) });
      if (!isDue(dealt)) return dealt;
      return { ...dealt, turn: this.book.take(view.nowMs)! };
    }
    const seq = this.#claim();
    if (seq === null) return 'done';
    const turn = this.book.take(view.nowMs)!;
    return { atMs: turn.dueMs ?? view.nowMs, seq, turn };
  }

  /** Gets the next conversation at hand; a promise = it is still being read. */
  prepare(_view: PacerView): Promise<void> | null {
    return this.book.prepare();
  }

  /** The number under which a turn goes that its broken conversation did not come to. */
  lostSeq(_turn: Turn, _after: number): number {
    return this.dealer.rest()!;
  }

  /** Whether the turns that a broken conversation did not come to were planned. */
  get losesTurns(): boolean {
    return this.#mode !== 'requests';
  }
}

/** Conversations by number, as slots come free; threads take the next one of all. */
function starts(share: Share | null, prompts: PromptLine): () => Promise<Opening | null> | Opening | null {
  let count = 0;
  return () => openingOf(prompts, share === null ? count++ : Atomics.add(share.starts, 0, 1), null);
}

/** Conversations by number, at the times of the arrival process; every thread draws all times and takes each T-th. */
function arrivals({ load, limits, seed, share, prompts }: TalkParts): () => Promise<Opening | null> | Opening | null {
  const pacer = makePacer(load, { requests: null, durationMs: limits.durationMs }, seed);
  let count = 0;
  return () => {
    for (;;) {
      const pacing = pacer.next({ sent: 0, inFlight: 0, nowMs: 0 });
      if (!isDue(pacing)) return null;
      const number = count++;
      if (share === null || number % share.threads === share.index) return openingOf(prompts, number, pacing.atMs);
    }
  };
}

/** The first turn of a conversation, at once where it has been read. */
export function openingOf(
  prompts: PromptLine,
  number: number,
  dueMs: number | null,
): Promise<Opening | null> | Opening | null {
  const taken = prompts.take(number);
  const turnsBefore = (): number => prompts.turnsBefore;
  if (taken instanceof Promise)
    return taken.then((prompt) => (prompt === null ? null : { prompt, dueMs, turnsBefore: turnsBefore() }));
  return taken === null ? null : { prompt: taken, dueMs, turnsBefore: turnsBefore() };
}

/** Numbers of asks up to the count, shared by all threads. */
function claimer({ requests }: PacerLimits, share: Share | null): () => number | null {
  let count = 0;
  return () => {
    const seq = share === null ? count++ : Atomics.add(share.counter, 0, 1);
    return requests === null || seq < requests ? seq : null;
  };
}
