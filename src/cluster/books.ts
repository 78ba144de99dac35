import { isDue, makePacer } from '../arrival/index.ts';
import type { PacerLimits } from '../arrival/index.ts';
import type { LoadShape } from '../core/index.ts';
import type { Deal, ReturnedAsk } from './cluster-words.ts';

/** The books of one phase: which asks have a record, and whose the others are. Numbers are dealt: asks, or conversations. */
export interface Books {
  readonly accounted: number;
  /** Asks that a plan by count has; null = as many as come due. */
  readonly total: number | null;
  /** Settles when what the other answers need is read. */
  ready(): Promise<void>;
  /** Writes down that ask `seq` has a record; false = it had one already. */
  record(seq: number, ok: boolean): boolean;
  /** A member took these numbers. */
  claimed(member: string, from: number, to: number): void;
  /** A number was dealt a second time. */
  redealt(number: number, member: string): void;
  /** Whether nothing more will come of these numbers. */
  areDone(from: number, to: number): boolean;
  /** Whether nothing has come of this number. */
  isOpen(number: number): boolean;
  /** What goes with a member: asks that are lost, and numbers that others may do instead. */
  lossOf(member: string, deals: readonly Deal[], untilMs: number, resend: boolean): Loss;
  /** Numbers of which something should have come by now; empty where nobody can know how many there are. */
  missing(): ReturnedAsk[];
  /** Asks of a plan by count that have no record. */
  unrecorded(): Generator<number>;
}

/** What is lost with a member. */
export interface Loss {
  lost: ReturnedAsk[];
  again: ReturnedAsk[];
}

/** An open loop's times, one after the other. */
export function* scheduleOf(
  load: LoadShape,
  limits: PacerLimits,
  seed: number,
): Generator<{ seq: number; atMs: number }> {
  const pacer = makePacer(load, limits, seed);
  for (let seq = 0; ; seq++) {
    const pacing = pacer.next({ sent: 0, inFlight: 0, nowMs: 0 });
    if (!isDue(pacing)) return;
    yield { seq, atMs: pacing.atMs };
  }
}
