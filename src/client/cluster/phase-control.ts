import { conversationPacing } from '../../inputs/arrival/index.ts';
import type { PacerLimits } from '../../inputs/arrival/index.ts';
import { problem } from '../../core/index.ts';
import type { Ended, Problem, RunPlan, Workload } from '../../core/index.ts';
import { unsentExchange, OrderedEnds } from '../load/index.ts';
import type { PhaseName } from '../load/index.ts';
import type { Batch, Deal, HeardWork, Order, ReturnedAsk } from './cluster-words.ts';
import { dealOver } from './deals.ts';
import { busy } from './members.ts';
import type { Member } from './members.ts';
import { RequestLedger } from './request-ledger.ts';

/** What one phase is controlled with. */
export interface PhaseControlParts {
  phase: PhaseName;
  plan: RunPlan;
  limits: PacerLimits;
  /** The plan's conversations; null = every prompt is asked by itself. */
  talks: (() => Workload) | null;
  members: ReadonlyMap<string, Member>;
  resend: boolean;
  /** A phase without any worker is given up after this long. */
  nobodyMs: number;
  nowMs(): number;
  order(order: Order): void;
  /** Every ask of the phase comes through here exactly once, in the order of the ends. */
  emit(ended: Ended): void;
}

/** A new deal begins this long from now, so that every worker has heard of it by then. */
export const leadMs = 100;
const controllerLine = '';

/** One phase as the controller sees it: who takes part, how the asks are dealt, what became of each. */
export class PhaseControl {
  readonly ledger: RequestLedger;
  readonly #ends: OrderedEnds;
  readonly #deals: Deal[] = [];
  /** How many asks each member was dealt again. */
  readonly #dealtAgain = new Map<string, number>();
  /** Returned requests that no present member can take. */
  #homeless: ReturnedAsk[] = [];
  /** A deal for newcomers that waits until the others have freed the slots. */
  #growing: { interim: Deal; members: string[] } | null = null;
  #startMs = 0;
  #finishing = false;
  #nobodySinceMs: number | null = null;
  stopped = false;
  /** No worker was left that could go on. */
  abandoned = false;

  constructor(private readonly parts: PhaseControlParts) {
    const seed = parts.phase === 'warmup' ? parts.plan.seed + 1 : parts.plan.seed;
    const { plan, limits, talks } = parts;
    const dealsTalks = talks !== null && conversationPacing(plan.load) !== 'requests';
    this.ledger = new RequestLedger({ load: plan.load, limits, seed, conversations: dealsTalks ? talks() : null });
    this.#ends = new OrderedEnds((ended) => parts.emit(ended));
    // Joined at once, because requests of a phase that never begins are recorded too.
    this.#ends.join(controllerLine, Infinity);
  }

  get #present(): Member[] {
    return [...this.parts.members.values()].filter(({ active, state }) => active && state === 'here');
  }

  get #unfinished(): Member[] {
    return [...this.parts.members.values()].filter(
      ({ active, state }) => active && (state === 'here' || state === 'leaving'),
    );
  }

  /** Starts the phase at startMs of the run's clock with those who are ready. */
  begin(startMs: number, members: readonly Member[]): void {
    this.#startMs = startMs;
    for (const member of members) this.#activate(member);
    this.#deal(
      members.map(({ id }) => id),
      0,
    );
    this.parts.order({ say: 'begin', phase: this.parts.phase, startMs });
  }

  /** Takes the phase over from a controller that is gone: what it ordered is known, not said again. */
  takeOver(startMs: number, orders: readonly Order[]): void {
    this.#startMs = startMs;
    for (const order of orders) {
      if (order.say === 'deal' && order.phase === this.parts.phase) this.#deals.push(order.deal);
      if (order.say === 'again' && order.phase === this.parts.phase) this.#countAgain(order.member, order.asks.length);
      // A member that has drained answers neither a new deal nor a second order to finish.
      if (order.say === 'finish' && order.phase === this.parts.phase) this.#finishing = true;
    }
  }

  /** Takes in members that the previous controller had not integrated. */
  takeIn(): void {
    const { phase, members, order } = this.parts;
    for (const member of members.values()) {
      if (member.state !== 'here' || member.active) continue;
      if (member.ready.has(phase)) this.integrate(member);
      else order({ say: 'prepare', phase, members: [member.id] });
    }
  }

  /** Whether these are the latest orders to the member; if not, its report of being idle is out of date. */
  knowsAll(id: string, heard: HeardWork): boolean {
    return heard.deals >= (this.#deals.at(-1)?.number ?? 0) && heard.again >= (this.#dealtAgain.get(id) ?? 0);
  }

  /** Whether an earlier deal named this member. */
  knows(id: string): boolean {
    return this.#deals.some(({ order, slots }) => order.includes(id) || slots?.[id] !== undefined);
  }

  /** A member that took part before this controller did. */
  rejoin(member: Member): void {
    this.#activate(member);
  }

  #activate(member: Member): void {
    member.active = true;
    this.#ends.join(member.id, -Infinity);
  }

  /** A newcomer is ready: it gets a share of the requests, and slots once the others have freed them. */
  integrate(member: Member): void {
    if (this.#finishing || this.stopped || member.active) return;
    const { phase, plan } = this.parts;
    const before = this.#deals.at(-1);
    this.#activate(member);
    this.parts.order({ say: 'begin', phase, startMs: this.#startMs });
    const members = this.#present.map(({ id }) => id);
    if (plan.load.concurrency === null || before === undefined || before.order.length === 0 || members.length === 1)
      this.#deal(members, leadMs);
    else {
      const target = dealOver(members, plan.load.concurrency, { number: 0, fromMs: 0 }).slots!;
      const slots = Object.fromEntries(members.map((id) => [id, Math.min(before.slots?.[id] ?? 0, target[id]!)]));
      const interim = { ...before, number: before.number + 1, fromMs: this.#sinceStart() + leadMs, slots };
      this.#growing = { interim, members };
      this.#announce(interim);
    }
    const homeless = this.#homeless;
    this.#homeless = [];
    this.#dealAgain(homeless);
  }

  #sinceStart(): number {
    return this.parts.nowMs() - this.#startMs;
  }

  #deal(members: readonly string[], inMs: number): void {
    const number = (this.#deals.at(-1)?.number ?? 0) + 1;
    const fromMs = this.#deals.length === 0 ? 0 : this.#sinceStart() + inMs;
    this.#growing = null;
    const { concurrency } = this.parts.plan.load;
    const kept = concurrency === null ? {} : this.#keptSlots();
    const free = concurrency === null ? null : concurrency - Object.values(kept).reduce((sum, one) => sum + one, 0);
    const deal = dealOver(members, free, { number, fromMs });
    this.#announce({ ...deal, slots: deal.slots === null ? null : { ...deal.slots, ...kept } });
  }

  /** Slots that those who are leaving still use. */
  #keptSlots(): Record<string, number> {
    const slots = this.#deals.at(-1)?.slots ?? {};
    const leaving = [...this.parts.members.values()].filter(({ active, state }) => active && state === 'leaving');
    return Object.fromEntries(leaving.map(({ id, progress }) => [id, Math.min(slots[id] ?? 0, progress.taken)]));
  }

  /** Whether leaving members have freed at least half of their slots, so that a new deal pays. */
  get #hasShrunk(): boolean {
    const slots = this.#deals.at(-1)?.slots;
    if (slots == null) return false;
    return Object.entries(this.#keptSlots()).some(([id, kept]) => slots[id]! > 0 && kept <= slots[id]! / 2);
  }

  #announce(deal: Deal): void {
    this.#deals.push(deal);
    for (const member of this.#present) busy(member);
    this.parts.order({ say: 'deal', phase: this.parts.phase, deal });
  }

  /** Records a batch in the ledger; `came` gets its new exchanges before any of them is emitted. */
  take(member: Member, batch: Batch, came: (fresh: readonly Ended[]) => void): void {
    const fresh: Ended[] = [];
    for (const ended of batch.ended) {
      const { seq, warmup, outcome } = ended.exchange;
      const number = warmup ? -1 - seq : seq;
      if (number >= (this.ledger.total ?? Infinity)) continue;
      if (this.ledger.record(number, outcome === 'ok')) fresh.push(ended);
    }
    came(fresh);
    const [due, sent, inFlight, deals, taken] = batch.progress;
    member.progress = { due, sent, inFlight, deals, taken };
    this.#ends.add(member.id, fresh, batch.upToMs);
  }

  /** An exchange that an earlier controller wrote down. */
  known(seq: number): void {
    this.ledger.record(seq, true);
  }

  /** A member is lost: what it had in hand is accounted for (or sent again), its part goes to the others. */
  lose(member: Member): number {
    const untilMs = this.#sinceStart() + leadMs;
    const resend = this.parts.resend && !this.stopped;
    const { lost, again } = this.ledger.lossOf(member.id, this.#deals, untilMs, resend);
    member.progress.inFlight = 0;
    this.#ends.leave(member.id);
    this.#redeal();
    this.#dealAgain(again);
    this.#writeOff(lost, problem('lost-with-worker', member.worker.name), { worker: member.worker.name });
    return lost.length;
  }

  /** A member leaves by itself: it drains its requests, the others get the rest, and its slots as it frees them. */
  release(): void {
    this.#redeal();
  }

  /** Asks that a member gives back unsent. */
  returned(asks: readonly ReturnedAsk[]): void {
    this.#dealAgain(asks.filter(({ seq }) => this.ledger.isOpen(seq)));
  }

  stop(): void {
    this.stopped = true;
  }

  /** Checks whether the phase is over, and deals requests out that no member has. */
  advance(): 'going' | 'over' {
    // A worker that has drained never answers a new deal, so waiting for it would last for ever.
    if (this.#growing !== null && !this.stopped && !this.#finishing) this.#grow();
    if (this.#hasShrunk) this.#redeal();
    const unfinished = this.#unfinished;
    const nowMs = this.parts.nowMs();
    if (unfinished.length === 0) {
      this.#nobodySinceMs ??= nowMs;
      const joining = [...this.parts.members.values()].some(({ active, state }) => !active && state === 'here');
      const done = this.stopped || this.#finishing || this.#isComplete();
      this.abandoned = !done && !joining && nowMs - this.#nobodySinceMs > this.parts.nobodyMs;
      return done || this.abandoned ? 'over' : 'going';
    }
    this.#nobodySinceMs = null;
    if (this.stopped || this.#finishing)
      return unfinished.every(({ drained, settled }) => drained && settled) ? 'over' : 'going';
    if (this.#homeless.length > 0) {
      this.#dealAgain(this.#homeless.splice(0));
      return 'going';
    }
    if (!this.#isComplete()) {
      if (!unfinished.every(({ settled }) => settled)) return 'going';
      const missing = this.ledger.missing();
      if (missing.length > 0) {
        this.#dealAgain(missing);
        return 'going';
      }
    }
    this.#finishing = true;
    for (const member of unfinished) busy(member);
    this.parts.order({ say: 'finish', phase: this.parts.phase });
    return 'going';
  }

  #isComplete(): boolean {
    return this.ledger.total !== null && this.ledger.accounted >= this.ledger.total;
  }

  /** Closes the ledger: requests of a plan by count that nobody sent are recorded as not sent, those of present members as `lost` says. */
  close(lost: Problem | null): void {
    if (lost !== null)
      for (const member of this.#unfinished)
        this.#writeOff(this.ledger.lossOf(member.id, this.#deals, this.#sinceStart(), false).lost, lost, {
          worker: member.worker.name,
        });
    const asks = [...this.ledger.unrecorded()].map((seq) => ({ seq, dueMs: null }));
    this.#writeOff(asks, problem('not-sent'), {});
    this.#ends.flush();
  }

  #redeal(): void {
    const members = this.#present.map(({ id }) => id);
    if (!this.stopped && !this.#finishing && members.length > 0) this.#deal(members, leadMs);
  }

  #grow(): void {
    const { interim, members } = this.#growing!;
    const given = this.#present.every(
      ({ id, progress }) =>
        (progress.deals >= interim.number && progress.taken <= interim.slots![id]!) || interim.slots![id] === 0,
    );
    if (given) this.#deal(members, leadMs);
  }

  #dealAgain(asks: readonly ReturnedAsk[]): void {
    const takers = this.#present.filter(({ id }) => this.#deals.at(-1)?.order.includes(id) === true);
    if (takers.length === 0) this.#homeless.push(...asks);
    if (takers.length === 0 || asks.length === 0) return;
    for (const [index, member] of takers.entries()) {
      const mine = asks.filter((_, i) => i % takers.length === index);
      if (mine.length === 0) continue;
      busy(member);
      for (const { seq } of mine) this.ledger.redealt(seq, member.id);
      this.#countAgain(member.id, mine.length);
      this.parts.order({ say: 'again', phase: this.parts.phase, member: member.id, asks: mine });
    }
  }

  #countAgain(id: string, asks: number): void {
    this.#dealtAgain.set(id, (this.#dealtAgain.get(id) ?? 0) + asks);
  }

  #writeOff(asks: readonly ReturnedAsk[], why: Problem, labels: Readonly<Record<string, string>>): void {
    const endMs = this.parts.nowMs();
    const warmup = this.parts.phase === 'warmup';
    const records: Ended[] = [];
    for (const { seq, dueMs } of asks) {
      if (!this.ledger.record(seq, false)) continue;
      const asked = {
        seq: warmup ? -1 - seq : seq,
        warmup,
        dueMs: dueMs === null ? endMs : Math.min(endMs, dueMs + this.#startMs),
      };
      const exchange = { ...unsentExchange(asked, endMs, 'cancelled', why), labels };
      records.push({ exchange, answer: null });
    }
    this.#ends.add(controllerLine, records, Infinity);
  }
}
