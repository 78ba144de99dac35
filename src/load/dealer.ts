import { isDue, makePacer } from '../arrival/index.ts';
import type { PacerLimits, PacerView, WaitUntil } from '../arrival/index.ts';
import type { LoadShape } from '../core/index.ts';

/** Hands out the numbered asks of one thread; number k asks prompt k, whoever sends it. */
export interface Dealer {
  /** As a pacer, with the number of the ask. */
  next(view: PacerView): { atMs: number; seq: number } | WaitUntil | 'wait' | 'done';
  /** The number of an ask that was planned and will not be sent; null = none is left. */
  rest(): number | null;
}

/** What a thread shares with the others of a run. */
export interface Share {
  index: number;
  threads: number;
  /** Asks handed out so far, by all threads (closed loop). */
  counter: Int32Array;
  /** Conversations begun so far, by all threads (closed loop, or at a rate of requests). */
  starts: Int32Array;
}

/** All asks of a load, or this thread's share of them: the schedule and the order are the same for any number of threads. */
export function makeDealer(load: LoadShape, limits: PacerLimits, seed: number, share: Share | null): Dealer {
  if (share === null) return soleDealer(load, limits, seed);
  return load.kind === 'closed' ? closedShare(load, limits, seed, share) : openShare(load, limits, seed, share);
}

function soleDealer(load: LoadShape, limits: PacerLimits, seed: number): Dealer {
  const pacer = makePacer(load, limits, seed);
  let count = 0;
  return {
    next(view) {
      const pacing = pacer.next(view);
      return isDue(pacing) ? { atMs: pacing.atMs, seq: count++ } : pacing;
    },
    rest: () => (isCount(limits) && count < limits.requests! ? count++ : null),
  };
}

/** A closed loop: each thread keeps its part of the concurrency up and takes the next number when a slot is free. */
function closedShare(load: LoadShape, limits: PacerLimits, seed: number, share: Share): Dealer {
  const concurrency = partOf(load.concurrency!, share);
  const pacer = concurrency === 0 ? null : makePacer({ ...load, concurrency }, { ...limits, requests: null }, seed);
  const claim = (): number | null => {
    const seq = Atomics.add(share.counter, 0, 1);
    return limits.requests === null || seq < limits.requests ? seq : null;
  };
  return {
    next(view) {
      const pacing = pacer?.next(view) ?? 'done';
      if (!isDue(pacing)) return pacing;
      const seq = claim();
      return seq === null ? 'done' : { atMs: pacing.atMs, seq };
    },
    rest: () => (isCount(limits) ? claim() : null),
  };
}

/** An open loop: every thread draws the whole schedule and sends each T-th ask of it. */
function openShare(load: LoadShape, limits: PacerLimits, seed: number, share: Share): Dealer {
  const pacer = makePacer(load, limits, seed);
  let count = 0;
  return {
    next(view) {
      for (;;) {
        const pacing = pacer.next(view);
        if (!isDue(pacing)) return pacing;
        const seq = count++;
        if (seq % share.threads === share.index) return { atMs: pacing.atMs, seq };
      }
    },
    rest() {
      if (!isCount(limits)) return null;
      while (count < limits.requests!) {
        const seq = count++;
        if (seq % share.threads === share.index) return seq;
      }
      return null;
    },
  };
}

/** This thread's part of a number of slots; the first threads take one more where it does not divide. */
export function partOf(slots: number, share: Share): number {
  return Math.floor(slots / share.threads) + (share.index < slots % share.threads ? 1 : 0);
}

/** Whether the plan is a count: its asks are planned even if their time never comes. */
function isCount({ requests, durationMs }: PacerLimits): boolean {
  return requests !== null && durationMs === null;
}
