import type { ClientHealth, Ended, Mistake, RunPlan } from '../../core/index.ts';
import type { PhaseName } from '../load/index.ts';

/** Who a worker is. */
export interface WorkerFacts {
  name: string;
  host: string;
  pid: number;
  labels: Readonly<Record<string, string>>;
}

/** How well a machine knows the common clock, which is Redis's. */
export interface ClockFacts {
  /** Round trip of the best sample; the offset is known to half of it. */
  rttMs: number;
}

/** One share of a run: the data of a BullMQ job. Whoever takes the job is a member of the run under the job's id. */
export interface WorkerSlot {
  token: string;
  plan: RunPlan;
  /** From what the worker makes its prompts and reads its secrets; this room does not look at it. */
  source: unknown;
  /** Zero of the run's clock in Redis time, decimal nanoseconds. */
  zeroRedisNs: string;
  llmdyno: string;
}

/**
 * Which member sends which requests from `fromMs` on: request `seq` belongs to `order[seq % order.length]`. A closed loop goes by
 * slots alone. Where whole conversations are dealt, the numbers are theirs, here and in requests that are returned or dealt again.
 */
export interface Deal {
  /** Counts up from 1 within a phase. */
  number: number;
  /** Since the phase began; asks due from here on are dealt like this. */
  fromMs: number;
  order: readonly string[];
  /** Requests in flight by member; null = no cap. */
  slots: Readonly<Record<string, number>> | null;
}

/** An ask that somebody else was to send. */
export interface ReturnedAsk {
  seq: number;
  /** Since the phase began; null = when it is sent (closed loop). */
  dueMs: number | null;
}

/** Which orders of a phase a member has read. */
export interface HeardWork {
  /** Number of the last deal. */
  deals: number;
  /** Asks of others that became its own. */
  again: number;
}

/** What the controller says to every worker of a run, in order. */
export type Order =
  | { say: 'prepare'; phase: PhaseName; members: readonly string[] }
  | { say: 'begin'; phase: PhaseName; startMs: number }
  | { say: 'deal'; phase: PhaseName; deal: Deal }
  | { say: 'again'; phase: PhaseName; member: string; asks: readonly ReturnedAsk[] }
  | { say: 'finish'; phase: PhaseName }
  | { say: 'stop-sending' | 'cancel-all' | 'end' };

/** What a worker says to the controller. */
export type WorkerMessage = { member: string } & (
  | { say: 'joined'; worker: WorkerFacts; clock: ClockFacts }
  | { say: 'ready' | 'leaving' | 'left'; phase: PhaseName | null }
  | { say: 'returned'; phase: PhaseName; asks: readonly ReturnedAsk[] }
  /** Nothing to send, nothing in flight, and everything handed over, as far as these orders were heard. */
  | { say: 'idle'; phase: PhaseName; heard: HeardWork }
  | { say: 'drained'; phase: PhaseName }
  | { say: 'health'; health: ClientHealth | null; clock: ClockFacts & { driftMs: number }; buffered: number }
  | { say: 'failed'; mistakes: readonly Mistake[] | null; exitCode: number; message: string }
);

/** Numbers from..to−1 of a closed loop are this member's to ask. */
export interface Claim {
  member: string;
  phase: PhaseName;
  from: number;
  to: number;
}

/** Some exchanges of one member, and how far it is. */
export interface Batch {
  member: string;
  /** Counts up from 0: a batch that comes twice is known by it. */
  number: number;
  phase: PhaseName;
  /** Nothing more will come from before this moment of the run's clock. */
  upToMs: number;
  /** Due, sent and in flight in this phase, the number of the last deal heard by then, and slots in use. */
  progress: readonly [number, number, number, number, number];
  ended: readonly Ended[];
}

/** A batch that says nothing more is coming in a phase. */
export const noMoreMs = Number.MAX_VALUE;
