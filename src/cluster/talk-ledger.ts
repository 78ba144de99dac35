import type { PacerLimits } from '../arrival/index.ts';
import type { LoadShape, Workload } from '../core/index.ts';
import { scheduleOf } from './books.ts';
import type { Books, Loss } from './books.ts';
import type { Deal, ReturnedAsk } from './cluster-words.ts';
import { ownerOf } from './deals.ts';
import { NumberSet } from './number-set.ts';

/**
 * The books of whole conversations. Numbers are conversations; the asks of one are the next so many places among the turns of all,
 * so its length, read from the dataset, says which they are.
 */
export class TalkLedger implements Books {
  readonly #load: LoadShape;
  readonly #limits: PacerLimits;
  readonly #seed: number;
  readonly #workload: Workload;
  readonly #done = new NumberSet();
  /** Turns that did not go well: where the plan is a time, nothing follows them. */
  readonly #broken = new Set<number>();
  /** Where each conversation begins, and at the end where the next one would. */
  readonly #begins = [0];
  #reading: Promise<void> = Promise.resolve();
  #readAll = false;
  #claimedTo = 0;
  readonly #claims: { member: string; from: number; to: number }[] = [];
  readonly #redealt = new Map<number, string>();
  readonly total: number | null;

  constructor(load: LoadShape, limits: PacerLimits, seed: number, workload: Workload) {
    this.#load = load;
    this.#limits = limits;
    this.#seed = seed;
    this.#workload = workload;
    this.total = limits.durationMs === null ? limits.requests : null;
  }

  get accounted(): number {
    return this.#done.size;
  }

  /** Reads as many conversations as the plan's count has room for, or as come due, or were taken. */
  ready(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#read());
    return this.#reading;
  }

  record(seq: number, ok: boolean): boolean {
    if (!ok && this.total === null) this.#broken.add(seq);
    return this.#done.add(seq);
  }

  claimed(member: string, from: number, to: number): void {
    this.#claims.push({ member, from, to });
    this.#claimedTo = Math.max(this.#claimedTo, to);
  }

  redealt(number: number, member: string): void {
    this.#redealt.set(number, member);
  }

  areDone(from: number, to: number): boolean {
    if (to > this.#known) return false;
    for (let number = from; number < to; number++) if (this.#open(number).length > 0) return false;
    return true;
  }

  isOpen(number: number): boolean {
    const [from, to] = this.#asksOf(number);
    for (let seq = from; seq < to; seq++) if (this.#done.has(seq)) return false;
    return from < to;
  }

  /** With `resend`, conversations of which nothing has come are others' to hold; one that was under way cannot go on elsewhere. */
  lossOf(member: string, deals: readonly Deal[], untilMs: number, resend: boolean): Loss {
    const loss: Loss = { lost: [], again: [] };
    for (const { number, dueMs } of this.#talksOf(member, deals, untilMs)) {
      if (resend && this.isOpen(number)) {
        loss.again.push({ seq: number, dueMs });
        continue;
      }
      const open = this.#open(number);
      const [first] = this.#asksOf(number);
      // Where the plan is a time, of the turns to come only the next one can be said to have come due.
      for (const seq of this.total === null ? open.slice(0, 1) : open)
        loss.lost.push({ seq, dueMs: seq === first ? dueMs : null });
    }
    return loss;
  }

  missing(): ReturnedAsk[] {
    const found: ReturnedAsk[] = [];
    if (this.#load.kind === 'open') {
      for (const { seq, atMs } of this.#schedule()) if (this.isOpen(seq)) found.push({ seq, dueMs: atMs });
      return found;
    }
    if (this.total === null) return found;
    for (let number = 0; number < this.#known; number++)
      if (this.isOpen(number)) found.push({ seq: number, dueMs: null });
    return found;
  }

  *unrecorded(): Generator<number> {
    for (let seq = 0; seq < (this.total ?? 0); seq++) if (!this.#done.has(seq)) yield seq;
  }

  get #known(): number {
    return this.#begins.length - 1;
  }

  /** First ask of a conversation and the one after its last. */
  #asksOf(number: number): [number, number] {
    const most = this.total ?? Infinity;
    const from = this.#begins[number] ?? most;
    return [Math.min(from, most), Math.min(this.#begins[number + 1] ?? from, most)];
  }

  /** Asks of a conversation that may still get a record. */
  #open(number: number): number[] {
    const open: number[] = [];
    const [from, to] = this.#asksOf(number);
    for (let seq = from; seq < to; seq++) {
      if (this.#broken.has(seq)) return [];
      if (!this.#done.has(seq)) open.push(seq);
    }
    return open;
  }

  #talksOf(member: string, deals: readonly Deal[], untilMs: number): { number: number; dueMs: number | null }[] {
    const found = new Map<number, number | null>();
    for (const claim of this.#claims)
      if (claim.member === member) for (let number = claim.from; number < claim.to; number++) found.set(number, null);
    if (this.#load.kind === 'open')
      for (const { seq, atMs } of this.#schedule()) {
        if (atMs >= untilMs) break;
        if (ownerOf(deals, seq, atMs) === member) found.set(seq, atMs);
      }
    for (const [number, who] of this.#redealt)
      if (who !== member) found.delete(number);
      else if (!found.has(number)) found.set(number, null);
    return [...found].map(([number, dueMs]) => ({ number, dueMs }));
  }

  /** When conversations begin, as many as are planned. */
  *#schedule(): Generator<{ seq: number; atMs: number }> {
    const { durationMs } = this.#limits;
    for (const entry of scheduleOf(this.#load, { requests: null, durationMs }, this.#seed)) {
      if (entry.seq >= this.#known) return;
      yield entry;
    }
  }

  async #read(): Promise<void> {
    const { total } = this;
    const isEnough = (): boolean => {
      if (total !== null) return this.#begins.at(-1)! >= total;
      return this.#load.kind === 'closed' && this.#known >= this.#claimedTo;
    };
    const { durationMs } = this.#limits;
    const times =
      total === null && this.#load.kind === 'open'
        ? scheduleOf(this.#load, { requests: null, durationMs }, this.#seed)
        : null;
    for (let skip = this.#known; times !== null && skip > 0; skip--) times.next();
    while (!this.#readAll && !isEnough()) {
      if (times?.next().done === true) return;
      const prompt = await this.#workload.next();
      if (prompt === null) this.#readAll = true;
      else this.#begins.push(this.#begins.at(-1)! + (prompt.turns ?? 1));
    }
  }
}
