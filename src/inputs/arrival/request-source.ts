import { invariant } from '../../core/index.ts';
import type { LoadShape, ResumePoint } from '../../core/index.ts';
import { claimsOf } from './claims.ts';
import type { Claimed, Place } from './claims.ts';
import { conversationPacing } from './conversations.ts';
import type { PacerLimits } from './pacer.ts';
import { isCount, makeDealer } from './request-dealer.ts';
import type { RequestDealer } from './request-dealer.ts';

/** Where a place (a thread, a machine) gets its requests; what it may take and how many may be in flight there can change while it runs. */
export interface RequestSource {
  /** Deals requests; where prompts begin conversations that a rate of requests does not pace, conversations. */
  dealer: RequestDealer;
  /** How many requests may be in flight here; null = no cap. */
  slots(): number | null;
  /** Whether this place may send now; absent = always. */
  maySend?(): boolean;
  /** At a rate of requests: the next conversation that nobody else begins. */
  beginConversation(): Claimed;
  /** The number of the next turn that is asked; absent = its place among the turns of all conversations, so nobody is asked. */
  nextTurn?(): number | null;
  /** A conversation was beyond the plan's count, and so is every later one; absent = this place then begins none any more. */
  exhausted?(): void;
}

/** What is dealt in a phase. */
export interface DealtPhase {
  load: LoadShape;
  limits: PacerLimits;
  seed: number;
  /** Prompts are first turns of conversations. */
  conversations: boolean;
}

/** Where one of several threads, or the only place, gets its requests. */
export function requestSourceAt(
  place: Place,
  { load, limits, seed, conversations }: DealtPhase,
  behind: ResumePoint | null,
): RequestSource {
  const requests = claimsOf(place, place.claimed.requests, load.concurrency);
  const begun = claimsOf(place, place.claimed.conversations, load.concurrency);
  const { slots } = requests.part();
  invariant(load.concurrency === null || slots > 0, 'every place has a slot');
  const dealsConversations = conversations && conversationPacing(load) !== 'requests';
  const most = limits.requests ?? Infinity;
  const nextTurn = (): number | null => {
    const seq = requests.claim() as number;
    return seq < most ? seq : null;
  };
  return {
    dealer: dealsConversations
      ? {
          next: makeDealer({ load, limits: { ...limits, requests: null }, seed, claims: begun, behind: null }).next,
          rest: () => (isCount(limits) ? nextTurn() : null),
        }
      : makeDealer({ load, limits, seed, claims: requests, behind }),
    slots: () => (load.concurrency === null ? null : slots),
    beginConversation: () => begun.claim(),
    nextTurn,
  };
}
