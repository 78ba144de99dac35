import { isBehind } from '../../core/index.ts';
import type { LoadShape, ResumePoint } from '../../core/index.ts';
import type { Claimed, Claims } from './claims.ts';
import type { Turn } from './conversation-queue.ts';
import { isDue } from './pacer.ts';
import type { Pacer, PacerLimits, PacerView, WaitUntil } from './pacer.ts';
import { makePacer } from './pacers.ts';

/** A request with its number, when it is due and, where that is known already, the turn of a conversation that it says. */
export interface DealtRequest {
  seq: number;
  atMs: number;
  turn?: Turn;
}

/** The next request, or why there is none now. */
export type Deal = DealtRequest | WaitUntil | 'wait' | 'done';

/** Deals out the numbered requests of one place; number k asks prompt k, whoever sends it. */
export interface RequestDealer {
  /** As a pacer, with the number of the request. */
  next(view: PacerView): Deal;
  /** The number of a request that was planned and will not be sent; null = none is left. */
  rest(): number | null;
}

/** What a dealer deals from. */
export interface DealerParts {
  load: LoadShape;
  limits: PacerLimits;
  seed: number;
  claims: Claims;
  /** What an earlier part of the run has done: it is left out, and the schedule goes on where it broke off; null = nothing. */
  behind: ResumePoint | null;
}

/** The requests of a load that one place may claim: schedule and order are the same for any number of places. */
export function makeDealer(parts: DealerParts): RequestDealer {
  return parts.load.kind === 'closed' ? closedDealer(parts) : openDealer(parts);
}

/** Whether a request was dealt. */
export function isDealt(deal: Deal): deal is DealtRequest {
  return typeof deal !== 'string' && 'atMs' in deal;
}

/** Whether a plan is a count: its requests are planned even if their time never comes. */
export function isCount({ requests, durationMs }: PacerLimits): boolean {
  return requests !== null && durationMs === null;
}

/** A closed loop: the place keeps its part of the concurrency up and claims a number when a slot is free. */
function closedDealer({ load, limits, seed, claims, behind }: DealerParts): RequestDealer {
  const pacer = shifted(
    makePacer(load, { ...limits, requests: null }, seed, () => claims.part()),
    behind?.elapsedMs ?? 0,
  );
  const most = limits.requests ?? Infinity;
  const claim = (): Claimed => {
    for (;;) {
      const seq = claims.claim();
      if (seq === null || seq === 'later') return seq;
      if (seq >= most) return null;
      if (!isBehind(behind, seq)) return seq;
    }
  };
  return {
    next(view) {
      const pacing = pacer.next(view);
      if (!isDue(pacing)) return pacing;
      const seq = claim();
      if (seq === null) return 'done';
      return seq === 'later' ? 'wait' : { seq, atMs: pacing.atMs };
    },
    rest() {
      const seq = isCount(limits) ? claim() : null;
      return seq === 'later' ? null : seq;
    },
  };
}

/** An open loop: every place draws the whole schedule and sends what it owns of it. */
function openDealer({ load, limits, seed, claims, behind }: DealerParts): RequestDealer {
  const pacer = shifted(makePacer(load, limits, seed), behind?.elapsedMs ?? 0);
  let count = 0;
  /** When request `count` is due, where its owner could not be said yet. */
  let pending: { atMs: number } | null = null;
  return {
    next(view) {
      for (;;) {
        const pacing = pending ?? pacer.next(view);
        if (!isDue(pacing)) return pacing;
        const { atMs } = pacing;
        const owned = !isBehind(behind, count) && claims.owns(count, atMs, view.nowMs);
        if (typeof owned === 'object') {
          pending = pacing;
          return owned;
        }
        pending = null;
        const seq = count++;
        if (owned) return { seq, atMs };
      }
    },
    rest() {
      while (isCount(limits) && count < limits.requests!) {
        const seq = count++;
        if (!isBehind(behind, seq) && claims.owns(seq, 0, Infinity) === true) return seq;
      }
      return null;
    },
  };
}

/** A pacer asked on the time of the whole run; what it should have said during the break is due at once. */
function shifted(pacer: Pacer, elapsedMs: number): Pacer {
  if (elapsedMs === 0) return pacer;
  return {
    next(view) {
      const pacing = pacer.next({ ...view, nowMs: view.nowMs + elapsedMs });
      if (isDue(pacing)) return { atMs: Math.max(0, pacing.atMs - elapsedMs) };
      return typeof pacing === 'string' ? pacing : { untilMs: pacing.untilMs - elapsedMs };
    },
  };
}
