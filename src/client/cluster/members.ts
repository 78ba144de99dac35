import type { ClientHealth, Ended } from '../../core/index.ts';
import type { PhaseName } from '../load/index.ts';
import type { ClockFacts, WorkerFacts } from './cluster-words.ts';

/** A worker in a slot of a run, as the controller knows it. */
export interface Member {
  id: string;
  worker: WorkerFacts;
  clock: ClockFacts & { driftMs: number | null };
  state: 'here' | 'leaving' | 'left' | 'lost';
  ready: Set<PhaseName>;
  /** In the phase under way: takes part, is done. */
  active: boolean;
  drained: boolean;
  /** It has nothing to do, and the controller has read everything that it sent. */
  settled: boolean;
  /** Counts up whenever it gets or ends work, so that an older message does not mark it as settled. */
  turn: number;
  lastBatch: number;
  progress: { due: number; sent: number; inFlight: number; deals: number; taken: number };
  /** Over the whole run. */
  exchanges: number;
  ok: number;
  failed: number;
  lostAsks: number;
  /** Exchanges that came after it was given up. */
  late: number;
  health: ClientHealth | null;
  buffered: number;
  ended: boolean;
}

/** A member that has just said hello. */
export function newMember(id: string, worker: WorkerFacts, clock: ClockFacts): Member {
  return {
    id,
    worker,
    clock: { ...clock, driftMs: null },
    state: 'here',
    ready: new Set(),
    active: false,
    drained: false,
    settled: false,
    turn: 0,
    lastBatch: -1,
    progress: { due: 0, sent: 0, inFlight: 0, deals: 0, taken: 0 },
    exchanges: 0,
    ok: 0,
    failed: 0,
    lostAsks: 0,
    late: 0,
    health: null,
    buffered: 0,
    ended: false,
  };
}

/** Measured exchanges that nobody had handed over before. */
export function countShare(member: Member, fresh: readonly Ended[]): void {
  for (const { exchange } of fresh) {
    if (exchange.warmup) continue;
    member.exchanges++;
    if (exchange.outcome === 'ok') member.ok++;
    if (exchange.outcome === 'failed') member.failed++;
  }
}

/** Before a phase: nothing of the one before counts. */
export function resetForPhase(member: Member): void {
  member.active = false;
  member.drained = false;
  busy(member);
  member.progress = { due: 0, sent: 0, inFlight: 0, deals: 0, taken: 0 };
}

/** It has something to do again. */
export function busy(member: Member): void {
  member.settled = false;
  member.turn++;
}

/** The name of the worker slot with this number in a run, the first is 1; it is also the name of the member that takes it. */
export function workerSlotName(token: string, number: number): string {
  return `${token}-${String(number).padStart(4, '0')}`;
}

/** Whether a name is that of a worker slot of a run, which nobody holds. */
export function isFreeWorkerSlot(members: ReadonlyMap<string, Member>, token: string, name: string): boolean {
  const number = workerSlotNumber(name);
  return number >= 1 && name === workerSlotName(token, number) && !members.has(name);
}

/** The number of the last worker slot that somebody took; 0 = nobody did. */
export function lastWorkerSlot(members: ReadonlyMap<string, Member>): number {
  return Math.max(0, ...[...members.keys()].map(workerSlotNumber));
}

function workerSlotNumber(name: string): number {
  return Number(/-(\d{4,9})$/.exec(name)?.[1] ?? 0);
}
