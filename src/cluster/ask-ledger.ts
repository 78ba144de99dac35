import { isDue, makePacer } from '../arrival/index.ts';
import type { PacerLimits } from '../arrival/index.ts';
import type { LoadShape } from '../core/index.ts';
import type { Deal, ReturnedAsk } from './cluster-words.ts';
import { ownerOf } from './deals.ts';
import { NumberSet } from './number-set.ts';

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

/** The books of asks that stand each by itself. */
export class AskLedger implements Books {
  readonly #load: LoadShape;
  readonly #limits: PacerLimits;
  readonly #seed: number;
  readonly #done = new NumberSet();
  readonly #claims = new Map<string, { from: number; to: number }[]>();
  /** Asks that were dealt a second time: to whom. */
  readonly #redealt = new Map<number, string>();
  readonly total: number | null;

  constructor(load: LoadShape, limits: PacerLimits, seed: number) {
    this.#load = load;
    this.#limits = limits;
    this.#seed = seed;
    this.total = limits.durationMs === null ? limits.requests : null;
  }

  get accounted(): number {
    return this.#done.size;
  }

  ready(): Promise<void> {
    return Promise.resolve();
  }

  record(seq: number): boolean {
    return this.#done.add(seq);
  }

  areDone(from: number, to: number): boolean {
    for (let seq = from; seq < to; seq++) if (!this.#done.has(seq)) return false;
    return true;
  }

  isOpen(seq: number): boolean {
    return !this.#done.has(seq);
  }

  claimed(member: string, from: number, to: number): void {
    const ranges = this.#claims.get(member) ?? [];
    const last = ranges.at(-1);
    if (last !== undefined && last.to === from) last.to = to;
    else ranges.push({ from, to });
    this.#claims.set(member, ranges);
  }

  redealt(seq: number, member: string): void {
    this.#redealt.set(seq, member);
  }

  lossOf(member: string, deals: readonly Deal[], untilMs: number, resend: boolean): Loss {
    const asks = this.#unfinishedOf(member, deals, untilMs);
    return resend ? { lost: [], again: asks } : { lost: asks, again: [] };
  }

  /** Asks of a member that have no record: those it took, or, in an open loop, those due before `untilMs` of the phase. */
  #unfinishedOf(member: string, deals: readonly Deal[], untilMs: number): ReturnedAsk[] {
    const found: ReturnedAsk[] = [];
    for (const { from, to } of this.#claims.get(member) ?? [])
      for (let seq = from; seq < to; seq++) if (this.#isOf(member, seq)) found.push({ seq, dueMs: null });
    if (this.#load.kind === 'open')
      for (const { seq, atMs } of this.#schedule()) {
        if (atMs >= untilMs) break;
        if (ownerOf(deals, seq, atMs) === member && this.#isOf(member, seq)) found.push({ seq, dueMs: atMs });
      }
    const known = new Set(found.map(({ seq }) => seq));
    for (const [seq, who] of this.#redealt)
      if (who === member && this.isOpen(seq) && !known.has(seq)) found.push({ seq, dueMs: null });
    return found;
  }

  #isOf(member: string, seq: number): boolean {
    const again = this.#redealt.get(seq);
    return this.isOpen(seq) && (again === undefined || again === member);
  }

  missing(): ReturnedAsk[] {
    const found: ReturnedAsk[] = [];
    if (this.#load.kind === 'open') {
      for (const { seq, atMs } of this.#schedule()) if (this.isOpen(seq)) found.push({ seq, dueMs: atMs });
      return found;
    }
    for (let seq = 0; seq < (this.total ?? 0); seq++) if (this.isOpen(seq)) found.push({ seq, dueMs: null });
    return found;
  }

  *unrecorded(): Generator<number> {
    for (let seq = 0; seq < (this.total ?? 0); seq++) if (this.isOpen(seq)) yield seq;
  }

  #schedule(): Generator<{ seq: number; atMs: number }> {
    return scheduleOf(this.#load, this.#limits, this.#seed);
  }
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
