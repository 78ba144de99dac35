import { isCount, isDue, makePacer } from '../../inputs/arrival/index.ts';
import type { PacerLimits } from '../../inputs/arrival/index.ts';
import type { LoadShape, Workload } from '../../core/index.ts';
import type { Deal, ReturnedAsk } from './cluster-words.ts';
import { ownerOf } from './deals.ts';

/** The requests lost with a member, and the numbers that other members may send instead. */
export interface Loss {
  lost: ReturnedAsk[];
  again: ReturnedAsk[];
}

/** The phase that a ledger is kept for. */
export interface LedgerParts {
  load: LoadShape;
  limits: PacerLimits;
  seed: number;
  /** The conversations that are dealt as wholes; null = single requests are dealt. */
  conversations: Workload | null;
}

/**
 * Which requests of a phase have a record, and which member the others belong to. Numbers are dealt: those of requests or of
 * conversations. A conversation's requests are the next places among the turns of all; the dataset tells how many it has.
 */
export class RequestLedger {
  readonly #done = new NumberSet();
  /** Turns that failed: where the plan has a duration, nothing follows them. */
  readonly #broken = new Set<number>();
  /** Where each conversation begins, and at the end where the next one would. */
  readonly #begins = [0];
  #reading: Promise<void> = Promise.resolve();
  #readAll = false;
  #claimedTo = 0;
  /** Ranges of numbers that a member took. */
  readonly #claims = new Map<string, { from: number; to: number }[]>();
  /** Numbers that were dealt a second time: to whom. */
  readonly #redealt = new Map<number, string>();
  /** Requests that a plan by count has; null = as many as come due. */
  readonly total: number | null;

  constructor(private readonly parts: LedgerParts) {
    this.total = isCount(parts.limits) ? parts.limits.requests : null;
  }

  get accounted(): number {
    return this.#done.size;
  }

  /** Reads as many conversations as the plan's count has room for, or as come due, or were taken. */
  ready(): Promise<void> {
    const { conversations } = this.parts;
    if (conversations !== null) this.#reading = this.#reading.then(() => this.#read(conversations));
    return this.#reading;
  }

  /** Writes down that request `seq` has a record; false = it had one already. */
  record(seq: number, ok: boolean): boolean {
    if (!ok && this.total === null && this.parts.conversations !== null) this.#broken.add(seq);
    return this.#done.add(seq);
  }

  /** A member took these numbers. */
  claimed(member: string, from: number, to: number): void {
    const ranges = this.#claims.get(member) ?? [];
    const last = ranges.at(-1);
    if (last !== undefined && last.to === from) last.to = to;
    else ranges.push({ from, to });
    this.#claims.set(member, ranges);
    this.#claimedTo = Math.max(this.#claimedTo, to);
  }

  /** A number was dealt a second time. */
  redealt(number: number, member: string): void {
    this.#redealt.set(number, member);
  }

  /** Whether every request of these numbers has a record, or will never get one. */
  areDone(from: number, to: number): boolean {
    if (to > this.#known) return false;
    for (let number = from; number < to; number++) if (this.#open(number).length > 0) return false;
    return true;
  }

  /** Whether no request of this number has a record yet. */
  isOpen(number: number): boolean {
    const [from, to] = this.#requestsOf(number);
    for (let seq = from; seq < to; seq++) if (this.#done.has(seq)) return false;
    return from < to;
  }

  /**
   * The requests lost with a member: numbers that it claimed or, in an open loop, that come due before `untilMs` of the phase. With
   * `resend`, others send those without any record; a conversation that was under way cannot go on elsewhere.
   */
  lossOf(member: string, deals: readonly Deal[], untilMs: number, resend: boolean): Loss {
    const loss: Loss = { lost: [], again: [] };
    for (const [number, dueMs] of this.#numbersOf(member, deals, untilMs)) {
      if (resend && this.isOpen(number)) {
        loss.again.push({ seq: number, dueMs });
        continue;
      }
      const open = this.#open(number);
      const [first] = this.#requestsOf(number);
      // Where the plan has a duration only the next turn counts as lost, because the later ones have not come due.
      for (const seq of this.total === null ? open.slice(0, 1) : open)
        loss.lost.push({ seq, dueMs: seq === first ? dueMs : null });
    }
    return loss;
  }

  /** Numbers that should have a record by now; empty where their count is not known. */
  missing(): ReturnedAsk[] {
    const found: ReturnedAsk[] = [];
    if (this.parts.load.kind === 'open') {
      for (const { seq, atMs } of this.#schedule()) if (this.isOpen(seq)) found.push({ seq, dueMs: atMs });
      return found;
    }
    for (let number = 0; number < Math.min(this.#known, this.total ?? 0); number++)
      if (this.isOpen(number)) found.push({ seq: number, dueMs: null });
    return found;
  }

  /** Requests of a plan by count that have no record. */
  *unrecorded(): Generator<number> {
    for (let seq = 0; seq < (this.total ?? 0); seq++) if (!this.#done.has(seq)) yield seq;
  }

  /** Numbers whose requests are known. */
  get #known(): number {
    return this.parts.conversations === null ? Infinity : this.#begins.length - 1;
  }

  /** First request of a number and the one after its last. */
  #requestsOf(number: number): [number, number] {
    const most = this.total ?? Infinity;
    const from = this.parts.conversations === null ? number : (this.#begins[number] ?? most);
    const to = this.parts.conversations === null ? number + 1 : (this.#begins[number + 1] ?? from);
    return [Math.min(from, most), Math.min(to, most)];
  }

  /** Requests of a number that may still get a record. */
  #open(number: number): number[] {
    const open: number[] = [];
    const [from, to] = this.#requestsOf(number);
    for (let seq = from; seq < to; seq++) {
      if (this.#broken.has(seq)) return [];
      if (!this.#done.has(seq)) open.push(seq);
    }
    return open;
  }

  /** Numbers that are a member's, with the time at which they come due where they have one. */
  #numbersOf(member: string, deals: readonly Deal[], untilMs: number): Map<number, number | null> {
    const found = new Map<number, number | null>();
    for (const { from, to } of this.#claims.get(member) ?? [])
      for (let number = from; number < to; number++) found.set(number, null);
    if (this.parts.load.kind === 'open')
      for (const { seq, atMs } of this.#schedule()) {
        if (atMs >= untilMs) break;
        if (ownerOf(deals, seq, atMs) === member) found.set(seq, atMs);
      }
    for (const [number, who] of this.#redealt)
      if (who !== member) found.delete(number);
      else if (!found.has(number)) found.set(number, null);
    return found;
  }

  /** An open loop's times, one after the other, as many as are planned. */
  *#schedule(): Generator<{ seq: number; atMs: number }> {
    const { load, limits, seed, conversations } = this.parts;
    const pacer = makePacer(load, conversations === null ? limits : { ...limits, requests: null }, seed);
    for (let seq = 0; seq < this.#known; seq++) {
      const pacing = pacer.next({ sent: 0, inFlight: 0, nowMs: 0 });
      if (!isDue(pacing)) return;
      yield { seq, atMs: pacing.atMs };
    }
  }

  async #read(conversations: Workload): Promise<void> {
    const { total } = this;
    const { load, limits, seed } = this.parts;
    const isEnough = (): boolean => {
      if (total !== null) return this.#begins.at(-1)! >= total;
      return load.kind === 'closed' && this.#known >= this.#claimedTo;
    };
    const pacer = total === null && load.kind === 'open' ? makePacer(load, { ...limits, requests: null }, seed) : null;
    const isOver = (): boolean => pacer !== null && !isDue(pacer.next({ sent: 0, inFlight: 0, nowMs: 0 }));
    for (let skip = this.#known; pacer !== null && skip > 0; skip--) isOver();
    while (!this.#readAll && !isEnough()) {
      if (isOver()) return;
      const prompt = await conversations.next();
      if (prompt === null) this.#readAll = true;
      else this.#begins.push(this.#begins.at(-1)! + (prompt.turns ?? 1));
    }
  }
}

/** Whole numbers from 0 on, most of them: a byte each. */
class NumberSet {
  #there = new Uint8Array(1024);
  size = 0;

  /** false = it was there already. */
  add(number: number): boolean {
    if (number >= this.#there.length) {
      const grown = new Uint8Array(Math.max(number + 1, 2 * this.#there.length));
      grown.set(this.#there);
      this.#there = grown;
    }
    if (this.#there[number] === 1) return false;
    this.#there[number] = 1;
    this.size++;
    return true;
  }

  has(number: number): boolean {
    return this.#there[number] === 1;
  }
}
