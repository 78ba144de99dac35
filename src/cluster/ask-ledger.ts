import { isDue, makePacer } from '../arrival/index.ts';
import type { PacerLimits } from '../arrival/index.ts';
import type { LoadShape } from '../core/index.ts';
import type { Deal, ReturnedAsk } from './cluster-words.ts';
import { ownerOf } from './deals.ts';

/** Keeps the books of one phase: which asks have a record, and whose the others are. */
export class AskLedger {
  readonly #load: LoadShape;
  readonly #limits: PacerLimits;
  readonly #seed: number;
  #done = new Uint8Array(1024);
  readonly #claims = new Map<string, { from: number; to: number }[]>();
  /** Asks that were dealt a second time: to whom. */
  readonly #redealt = new Map<number, string>();
  accounted = 0;
  /** Asks that a plan by count has; null = as many as come due. */
  readonly total: number | null;

  constructor(load: LoadShape, limits: PacerLimits, seed: number) {
    this.#load = load;
    this.#limits = limits;
    this.#seed = seed;
    this.total = limits.durationMs === null ? limits.requests : null;
  }

  /** Writes down that ask `seq` has a record; false = it had one already. */
  record(seq: number): boolean {
    if (seq >= this.#done.length) {
      const grown = new Uint8Array(Math.max(seq + 1, 2 * this.#done.length));
      grown.set(this.#done);
      this.#done = grown;
    }
    if (this.#done[seq] === 1) return false;
    this.#done[seq] = 1;
    this.accounted++;
    return true;
  }

  has(seq: number): boolean {
    return this.#done[seq] === 1;
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

  /** Asks of a member that have no record: those it took, or, in an open loop, those due before `untilMs` of the phase. */
  unfinishedOf(member: string, deals: readonly Deal[], untilMs: number): ReturnedAsk[] {
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
      if (who === member && !this.has(seq) && !known.has(seq)) found.push({ seq, dueMs: null });
    return found;
  }

  #isOf(member: string, seq: number): boolean {
    const again = this.#redealt.get(seq);
    return !this.has(seq) && (again === undefined || again === member);
  }

  /** Every ask that should have a record by now and has none; empty where nobody can know how many there are. */
  missing(): ReturnedAsk[] {
    const found: ReturnedAsk[] = [];
    if (this.#load.kind === 'open') {
      for (const { seq, atMs } of this.#schedule()) if (!this.has(seq)) found.push({ seq, dueMs: atMs });
      return found;
    }
    for (let seq = 0; seq < (this.total ?? 0); seq++) if (!this.has(seq)) found.push({ seq, dueMs: null });
    return found;
  }

  /** Numbers of a plan by count that have no record. */
  *unrecorded(): Generator<number> {
    for (let seq = 0; seq < (this.total ?? 0); seq++) if (!this.has(seq)) yield seq;
  }

  *#schedule(): Generator<{ seq: number; atMs: number }> {
    const pacer = makePacer(this.#load, this.#limits, this.#seed);
    for (let seq = 0; ; seq++) {
      const pacing = pacer.next({ sent: 0, inFlight: 0, nowMs: 0 });
      if (!isDue(pacing)) return;
      yield { seq, atMs: pacing.atMs };
    }
  }
}
