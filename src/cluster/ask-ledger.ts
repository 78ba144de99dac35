import type { PacerLimits } from '../arrival/index.ts';
import type { LoadShape } from '../core/index.ts';
import { scheduleOf } from './books.ts';
import type { Books, Loss } from './books.ts';
import type { Deal, ReturnedAsk } from './cluster-words.ts';
import { ownerOf } from './deals.ts';
import { NumberSet } from './number-set.ts';

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
