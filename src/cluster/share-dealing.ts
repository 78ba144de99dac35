import { isDue, makePacer } from '../arrival/index.ts';
import type { Pacer, PacerLimits, PacerView } from '../arrival/index.ts';
import type { LoadShape } from '../core/index.ts';
import type { Dealer, Dealing, TalkSource } from '../load/index.ts';
import type { Deal, HeardWork, ReturnedAsk } from './cluster-words.ts';
import { ownerOf } from './deals.ts';

/** What a share's dealing is made of. */
export interface ShareParts {
  member: string;
  load: LoadShape;
  limits: PacerLimits;
  seed: number;
  /** Asks the phase to look again. */
  wake(): void;
  /** Numbers are those of whole conversations, as many as the plan's count of asks has room for. */
  lots?: boolean;
  /** Takes the next so many numbers of a closed loop for this member; nothing = they are used up. */
  claim(count: number): Promise<{ from: number; to: number }>;
  /** Takes the next so many conversations at a rate of requests; absent = every prompt is asked by itself. */
  claimTalks?(count: number): Promise<{ from: number; to: number }>;
  /** This member may still send: its seat is known to be its own. */
  allowed(): boolean;
  /** Nothing to send and nothing in flight, after all that was heard. */
  idle(heard: HeardWork): void;
}

/** Asks are decided on this little ahead of their time, so that a new deal finds the later ones undecided. */
const horizonMs = 50;
/** Asks of others are remembered for so long, for a deal that comes late. */
const rememberMs = 5000;
const mostClaimed = 64;
/** Conversations are long: who takes many ahead of need leaves the others without. */
const mostTalksClaimed = 4;

/** Hands out this member's asks under deals that change as members come and go; says `done` only when told to. */
export class ShareDealing implements Dealing, Dealer, TalkSource {
  readonly #parts: ShareParts;
  readonly #deals: Deal[] = [];
  readonly #again: ReturnedAsk[] = [];
  #heardAgain = 0;
  readonly #pacer: Pacer | null;
  readonly dealer: Dealer = this;
  readonly talks: TalkSource = this;
  #retired = false;
  #finished = false;
  #saidIdle = false;
  #timer: NodeJS.Timeout | null = null;
  // Open loop: the next entry of the schedule, and those of others that went by.
  #entry: { seq: number; atMs: number } | null = null;
  #count = 0;
  #scheduleOver = false;
  #decidedMs = -Infinity;
  #passed: { seq: number; atMs: number }[] = [];
  // Closed loop: numbers taken and not sent yet.
  #stock: number[] = [];
  #claiming = false;
  #claimedOut = false;
  #lastTo = 0;
  // At a rate of requests: conversations taken and not begun yet.
  readonly #talks: number[] = [];
  #claimingTalks = false;

  constructor(parts: ShareParts) {
    this.#parts = parts;
    const limits = parts.lots === true ? { ...parts.limits, requests: null } : parts.limits;
    this.#pacer = parts.load.kind === 'open' ? makePacer(parts.load, limits, parts.seed) : null;
    if (parts.claimTalks !== undefined) this.#restockTalks();
  }

  number(): number | null {
    const number = this.#talks.shift() ?? null;
    if (this.#talks.length < mostTalksClaimed && !this.#claimingTalks) this.#restockTalks();
    return number;
  }

  exhausted(): void {
    this.#claimedOut = true;
    this.#stock.length = 0;
    this.#scheduleOver = true;
    this.#entry = null;
  }

  maySend(): boolean {
    const may = this.#parts.allowed();
    if (!may) this.#wakeIn(100);
    return may;
  }

  /** Begins nothing more: gives back what was not begun, and is done when nothing is left. */
  retire(): ReturnedAsk[] {
    this.#retired = true;
    const unbegun = [...this.#again.splice(0), ...this.#stock.splice(0).map((seq) => ({ seq, dueMs: null }))];
    this.#parts.wake();
    return unbegun;
  }

  get heard(): HeardWork {
    return { deals: this.#deals.at(-1)?.number ?? 0, again: this.#heardAgain };
  }

  slots(): number | null {
    const deal = this.#deals.at(-1);
    if (deal === undefined) return 0;
    return deal.slots === null ? null : (deal.slots[this.#parts.member] ?? 0);
  }

  /** A new deal; where it came late, asks that went by and are ours now are sent late. */
  deal(deal: Deal): void {
    this.#deals.push(deal);
    if (deal.fromMs < this.#decidedMs) {
      const mine = this.#passed.filter(({ seq, atMs }) => atMs >= deal.fromMs && this.#isMine(seq, atMs));
      this.#passed = this.#passed.filter((ask) => !mine.includes(ask));
      this.#again.push(...mine.map(({ seq, atMs }) => ({ seq, dueMs: atMs })));
    }
    this.#saidIdle = false;
    this.#parts.wake();
  }

  /** Asks of others that are ours to send now. */
  again(asks: readonly ReturnedAsk[]): void {
    this.#again.push(...asks);
    this.#heardAgain += asks.length;
    this.#saidIdle = false;
    this.#parts.wake();
  }

  /** Nothing more will come: the phase may end. */
  finish(): void {
    this.#finished = true;
    this.#clearTimer();
    this.#parts.wake();
  }

  next(view: PacerView): ReturnType<Dealer['next']> {
    if (this.#finished) return 'done';
    if (this.#retired) return view.inFlight === 0 ? 'done' : 'wait';
    if (!this.maySend()) return 'wait';
    const slots = this.slots();
    const free = slots === null || view.inFlight < slots;
    const again = free ? this.#again.shift() : undefined;
    if (again !== undefined) return { seq: again.seq, atMs: again.dueMs ?? view.nowMs };
    return this.#pacer === null ? this.#nextClosed(view, free) : this.#nextOpen(view);
  }

  /** Numbers that are this member's, planned by count and not sent. */
  rest(): number | null {
    this.#clearTimer();
    const { requests, durationMs } = this.#parts.limits;
    const again = this.#again.shift();
    if (again !== undefined) return again.seq;
    return requests !== null && durationMs === null ? (this.#stock.shift() ?? null) : null;
  }

  #nextOpen(view: PacerView): ReturnType<Dealer['next']> {
    for (;;) {
      const entry = this.#peek();
      if (entry === null) return this.#nothing(view);
      if (entry.atMs > view.nowMs + horizonMs) {
        this.#wakeIn(entry.atMs - view.nowMs - horizonMs);
        return 'wait';
      }
      this.#entry = null;
      this.#decidedMs = entry.atMs;
      if (this.#isMine(entry.seq, entry.atMs)) return entry;
      this.#passed.push(entry);
      if (this.#passed[0]!.atMs < entry.atMs - 2 * rememberMs)
        this.#passed = this.#passed.filter(({ atMs }) => atMs >= entry.atMs - rememberMs);
    }
  }

  #peek(): { seq: number; atMs: number } | null {
    if (this.#entry !== null || this.#scheduleOver) return this.#entry;
    // A schedule looks neither at the clock nor at what is in flight.
    const pacing = this.#pacer!.next({ sent: 0, inFlight: 0, nowMs: 0 });
    if (isDue(pacing)) this.#entry = { seq: this.#count++, atMs: pacing.atMs };
    else this.#scheduleOver = true;
    return this.#entry;
  }

  #isMine(seq: number, atMs: number): boolean {
    return ownerOf(this.#deals, seq, atMs) === this.#parts.member;
  }

  #nextClosed(view: PacerView, free: boolean): ReturnType<Dealer['next']> {
    const { durationMs } = this.#parts.limits;
    if (durationMs !== null && view.nowMs >= durationMs) return this.#nothing(view);
    if (durationMs !== null) this.#wakeIn(durationMs - view.nowMs);
    // Who has no slot, and nothing in stock for when it has one, is not waited for.
    if (!free) return this.slots() === 0 && this.#stock.length === 0 ? this.#nothing(view) : 'wait';
    const opensMs = this.#opensMs(view);
    if (opensMs !== null) {
      this.#wakeIn(opensMs - view.nowMs);
      return 'wait';
    }
    const seq = this.#stock.shift();
    this.#restock();
    if (seq !== undefined) return { seq, atMs: view.nowMs };
    return this.#claimedOut ? this.#nothing(view) : 'wait';
  }

  /** While a closed loop rises: when this member's next slot opens; null = one is open. Slot k of all opens after k/N of the time. */
  #opensMs({ inFlight, nowMs }: PacerView): number | null {
    const { load, member } = this.#parts;
    const { rampMs = 0, concurrency } = load;
    if (concurrency === null || nowMs >= rampMs) return null;
    const order = this.#deals.at(-1)!.order;
    const slot = order.indexOf(member) + inFlight * order.length;
    const opensMs = (slot / concurrency) * rampMs;
    return opensMs <= nowMs ? null : opensMs;
  }

  /** Takes numbers ahead of need: enough that a burst of ends finds some, few enough that the last ones are shared. */
  #restock(): void {
    const slots = this.slots() ?? 0;
    const { requests } = this.#parts.limits;
    const lots = this.#parts.lots === true;
    const wanted = Math.min(lots ? mostTalksClaimed : mostClaimed, Math.ceil(slots / 4));
    if (this.#claiming || this.#claimedOut || this.#stock.length > wanted / 2 || wanted === 0) return;
    const members = this.#deals.at(-1)?.order.length ?? 1;
    const fair = requests === null || lots ? wanted : Math.floor((requests - this.#lastTo) / (4 * members));
    this.#claiming = true;
    this.#parts.claim(Math.max(1, Math.min(wanted, fair))).then(
      ({ from, to }) => {
        this.#claiming = false;
        this.#lastTo = Math.max(this.#lastTo, to);
        // What comes too late is found missing, and dealt again.
        if (!this.#retired) for (let seq = from; seq < to; seq++) this.#stock.push(seq);
        if (from >= to) this.#claimedOut = true;
        this.#parts.wake();
      },
      () => {
        this.#claiming = false;
      },
    );
  }

  #restockTalks(): void {
    this.#claimingTalks = true;
    this.#parts.claimTalks!(mostTalksClaimed).then(
      ({ from, to }) => {
        this.#claimingTalks = false;
        for (let number = from; number < to; number++) this.#talks.push(number);
        this.#parts.wake();
      },
      () => {
        this.#claimingTalks = false;
        this.#wakeIn(100);
      },
    );
  }

  #nothing(view: PacerView): 'wait' {
    if (view.inFlight === 0 && !this.#claiming && !this.#saidIdle) {
      this.#saidIdle = true;
      this.#parts.idle(this.heard);
    }
    return 'wait';
  }

  #wakeIn(ms: number): void {
    this.#clearTimer();
    this.#timer = setTimeout(
      () => {
        this.#timer = null;
        this.#parts.wake();
      },
      Math.max(0, ms),
    );
  }

  #clearTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
