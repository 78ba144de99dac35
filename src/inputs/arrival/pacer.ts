import type { LoadShape, RunPlan } from '../../core/index.ts';

/** What a pacer may know of the run, all of it about its own phase (warm-up and measuring have a pacer each). */
export interface PacerView {
  /** Asks that left so far. */
  sent: number;
  /** Asks handed out and not yet ended, those still on their way to the socket included. */
  inFlight: number;
  /** Time since the phase began. */
  nowMs: number;
}

/** A slot opens by itself at this time: ask again then, or when something ends. */
export interface WaitUntil {
  untilMs: number;
}

/** The next due time; or `wait`: ask again when something ends; or `done`: nothing more will come due, ever. */
export type Pacing = { atMs: number } | WaitUntil | 'wait' | 'done';

/** Whether an ask was handed out. */
export function isDue(pacing: Pacing): pacing is { atMs: number } {
  return typeof pacing !== 'string' && 'atMs' in pacing;
}

/**
 * Says when asks come due. Each `{ atMs }` is one ask, handed out exactly once; atMs is absolute on the clock of nowMs,
 * may lie ahead, and lies behind when the caller is late: such an ask is still to be sent (or dropped and counted).
 */
export interface Pacer {
  next(view: PacerView): Pacing;
}

/** Where a phase ends: after so many asks, and before so much time has passed; null = that limit is not set. */
export interface PacerLimits {
  requests: number | null;
  durationMs: number | null;
  /** Every slot is in use when the phase begins, by what is left of the warm-up; absent = all are free. */
  inStride?: true;
}

/**
 * Whether a closed loop begins in its stride: a warm-up that fills every slot hands each over as it frees it. Else the warm-up is drained
 * first, since one that leaves slots free would be measured beside.
 */
export function handsOver({ load, warmup }: Pick<RunPlan, 'load' | 'warmup'>): boolean {
  if (load.kind !== 'closed' || load.concurrency === null || load.rampMs !== undefined) return false;
  return warmup !== null && 'requests' in warmup && warmup.requests >= load.concurrency;
}

/** The slots of a closed loop that one of several places has: `index`, `index + of`, `index + 2·of` … of all, so many of them. */
export interface LoadPart {
  index: number;
  of: number;
  slots: number;
}

/** Makes the pacer of one arrival process; the same arguments give the same due times. No part = the whole load. */
export type PacerMaker = (load: LoadShape, limits: PacerLimits, seed: number, part?: () => LoadPart) => Pacer;
