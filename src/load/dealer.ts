import { isDue, makePacer } from '../arrival/index.ts';
import type { Pacer, PacerLimits, PacerView, WaitUntil } from '../arrival/index.ts';
import { isBehind } from '../core/index.ts';
import type { LoadShape, RunBehind } from '../core/index.ts';
import type { Turn } from '../workload/index.ts';

/** The next ask, with its number and, where that is known, the turn of a conversation that it says; or why there is none now. */
export type Deal = { atMs: number; seq: number; turn?: Turn } | WaitUntil | 'wait' | 'done';

/** Hands out the numbered asks of one thread; number k asks prompt k, whoever sends it. */
export interface Dealer {
  /** As a pacer, with the number of the ask. */
  next(view: PacerView): Deal;
  /** The number of an ask that was planned and will not be sent; null = none is left. */
  rest(): number | null;
}

/** Who hands out asks, and how many may be in flight here at once (null = no cap); both may change while it runs. */
export interface Dealing {
  dealer: Dealer;
  slots(): number | null;
  /** Where conversations are dealt by machines: they begin as this says. By slots and by sessions the dealer's numbers are theirs. */
  talks?: TalkSource;
}

/** What begins conversations on one of several machines. */
export interface TalkSource {
  /** At a rate of requests: the number of a conversation that nobody else begins; null = none is known yet, it will wake. */
  number(): number | null;
  /** A conversation was beyond the plan's count, and so is every later one. */
  exhausted(): void;
  /** Whether this machine may send now; where not, it will wake. */
  maySend(): boolean;
}

/** What is dealt in a phase. */
export interface DealtPhase {
  limits: PacerLimits;
  seed: number;
  /** Prompts are first turns of conversations. */
  conversations: boolean;
  /** Asks the phase to look again at what it may send. */
  wake(): void;
}

/** Makes the dealing of one phase. */
export type MakeDealing = (phase: DealtPhase) => Dealing;

/** What a thread shares with the others of a run. */
export interface Share {
  index: number;
  threads: number;
  /** Asks handed out so far, by all threads (closed loop). */
  counter: Int32Array;
  /** Conversations begun so far, by all threads (closed loop, or at a rate of requests). */
  starts: Int32Array;
}

/**
 * All asks of a load, or this thread's share of them: the schedule and the order are the same for any number of threads.
 * A run that goes on leaves out what is `behind` it, and its schedule goes on where it broke off.
 */
export function makeDealer(
  load: LoadShape,
  limits: PacerLimits,
  seed: number,
  share: Share | null,
  behind: RunBehind | null = null,
): Dealer {
  const parts: DealerParts = { load, limits, seed, behind };
  if (share === null) return load.kind === 'closed' ? closedDealer(parts) : openDealer(parts, sole);
  return load.kind === 'closed' ? closedShare(parts, share) : openDealer(parts, share);
}

/** The dealing of a thread, or of the only one. */
export function threadDealing(
  load: LoadShape,
  limits: PacerLimits,
  seed: number,
  share: Share | null,
  behind: RunBehind | null,
): Dealing {
  const { concurrency } = load;
  const slots = concurrency === null || share === null ? concurrency : partOf(concurrency, share);
  return { dealer: makeDealer(load, limits, seed, share, behind), slots: () => slots };
}

interface DealerParts {
  load: LoadShape;
  limits: PacerLimits;
  seed: number;
  behind: RunBehind | null;
}

const sole: Pick<Share, 'index' | 'threads'> = { index: 0, threads: 1 };

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

/** A closed loop alone: the next number that is not behind, whenever a slot is free. */
function closedDealer({ load, limits, seed, behind }: DealerParts): Dealer {
  const requests = limits.requests === null ? null : Math.max(0, limits.requests - (behind?.doneCount ?? 0));
  const pacer = shifted(makePacer(load, { ...limits, requests }, seed), behind?.elapsedMs ?? 0);
  let count = 0;
  const claim = (): number => {
    while (isBehind(behind, count)) count++;
    return count++;
  };
  let left = requests ?? 0;
  return {
    next(view) {
      const pacing = pacer.next(view);
      if (!isDue(pacing)) return pacing;
      left--;
      return { atMs: pacing.atMs, seq: claim() };
    },
    rest: () => (isCount(limits) && left > 0 ? (left--, claim()) : null),
  };
}

/** A closed loop: each thread keeps its part of the concurrency up and takes the next number when a slot is free. */
function closedShare({ load, limits, seed, behind }: DealerParts, share: Share): Dealer {
  const concurrency = partOf(load.concurrency!, share);
  const pacer =
    concurrency === 0
      ? null
      : shifted(makePacer({ ...load, concurrency }, { ...limits, requests: null }, seed), behind?.elapsedMs ?? 0);
  const claim = (): number | null => {
    for (;;) {
      const seq = Atomics.add(share.counter, 0, 1);
      if (limits.requests !== null && seq >= limits.requests) return null;
      if (!isBehind(behind, seq)) return seq;
    }
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
function openDealer(
  { load, limits, seed, behind }: DealerParts,
  { index, threads }: Pick<Share, 'index' | 'threads'>,
): Dealer {
  const pacer = shifted(makePacer(load, limits, seed), behind?.elapsedMs ?? 0);
  let count = 0;
  const mine = (seq: number): boolean => seq % threads === index && !isBehind(behind, seq);
  return {
    next(view) {
      for (;;) {
        const pacing = pacer.next(view);
        if (!isDue(pacing)) return pacing;
        const seq = count++;
        if (mine(seq)) return { atMs: pacing.atMs, seq };
      }
    },
    rest() {
      if (!isCount(limits)) return null;
      while (count < limits.requests!) {
        const seq = count++;
        if (mine(seq)) return seq;
      }
      return null;
    },
  };
}

/** This thread's part of a number of slots; the first threads take one more where it does not divide. */
export function partOf(slots: number, share: Pick<Share, 'index' | 'threads'>): number {
  return Math.floor(slots / share.threads) + (share.index < slots % share.threads ? 1 : 0);
}

/** Whether the plan is a count: its asks are planned even if their time never comes. */
function isCount({ requests, durationMs }: PacerLimits): boolean {
  return requests !== null && durationMs === null;
}
