import { isCount, isDealt, makeDealer } from '../../inputs/arrival/index.ts';
import type {
  Claimed,
  Claims,
  RequestSource,
  LoadPart,
  PacerLimits,
  PacerView,
  RequestDealer,
  WaitUntil,
} from '../../inputs/arrival/index.ts';
import type { LoadShape } from '../../core/index.ts';
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
  conversations?: boolean;
  /** Takes the next so many numbers of a closed loop for this member; nothing = they are used up. */
  claim(count: number): Promise<{ from: number; to: number }>;
  /** Takes the next so many conversations at a rate of requests; absent = every prompt is asked by itself. */
  claimConversations?(count: number): Promise<{ from: number; to: number }>;
  /** This member may still send: its worker slot is known to be its own. */
  allowed(): boolean;
  /** Nothing to send and nothing in flight, after all that was heard. */
  idle(heard: HeardWork): void;
}

/** Asks are decided on this little ahead of their time, so that a new deal finds the later ones undecided. */
const horizonMs = 50;
/** Requests of other members are remembered for so long, because a late deal may make them ours. */
const rememberMs = 5000;
/** A worker that waits for numbers looks again after this time, because an answer may be lost. */
const lookAgainMs = 100;
const mostClaimed = 64;
/** Few, because conversations are long and a member that holds many leaves none to the others. */
const mostConversationsClaimed = 4;

/** Numbers taken ahead of need, so that a burst of ends finds some. */
class Stock {
  #numbers: number[] = [];
  claiming = false;
  /** None is left to take. */
  over = false;
  lastTo = 0;

  constructor(
    private readonly take: (count: number) => Promise<{ from: number; to: number }>,
    private readonly wake: () => void,
  ) {}

  get size(): number {
    return this.#numbers.length;
  }

  shift(): number | undefined {
    return this.#numbers.shift();
  }

  /** Takes no more, and gives what is left. */
  close(): number[] {
    this.over = true;
    return this.#numbers.splice(0);
  }

  refill(count: number): void {
    if (this.claiming || this.over) return;
    this.claiming = true;
    this.take(count).then(
      ({ from, to }) => {
        this.claiming = false;
        this.lastTo = Math.max(this.lastTo, to);
        // The controller deals requests that were not sent in time again.
        if (!this.over) for (let number = from; number < to; number++) this.#numbers.push(number);
        if (from >= to) this.over = true;
        this.wake();
      },
      () => {
        this.claiming = false;
      },
    );
  }
}

/** What this member may take under deals that change as members come and go; its dealer says `done` only when told to. */
export class ShareRequestSource implements RequestSource, RequestDealer, Claims {
  readonly #deals: Deal[] = [];
  readonly #again: ReturnedAsk[] = [];
  #heardAgain = 0;
  readonly #requests: RequestDealer;
  readonly #stock: Stock;
  readonly #unbegun: Stock | null;
  #part: LoadPart = { index: 0, of: 1, slots: 0 };
  #retired = false;
  #finished = false;
  #exhausted = false;
  #saidIdle = false;
  /** Requests due up to here were decided on; `#passed` are those that belong to other members. */
  #decidedMs = -Infinity;
  #passed: { seq: number; atMs: number }[] = [];

  constructor(private readonly parts: ShareParts) {
    const { load, seed } = parts;
    const limits = parts.conversations === true ? { ...parts.limits, requests: null } : parts.limits;
    this.#requests = makeDealer({ load, limits, seed, claims: this, behind: null });
    this.#stock = new Stock((count) => parts.claim(count), parts.wake);
    this.#unbegun =
      parts.claimConversations === undefined
        ? null
        : new Stock((count) => parts.claimConversations!(count), parts.wake);
    this.#unbegun?.refill(mostConversationsClaimed);
  }

  get dealer(): RequestDealer {
    return this;
  }

  get heard(): HeardWork {
    return { deals: this.#deals.at(-1)?.number ?? 0, again: this.#heardAgain };
  }

  slots(): number | null {
    const deal = this.#deals.at(-1);
    if (deal === undefined) return 0;
    return deal.slots === null ? null : (deal.slots[this.parts.member] ?? 0);
  }

  maySend(): boolean {
    return this.#finished || this.parts.allowed();
  }

  beginConversation(): Claimed {
    const number = this.#unbegun?.shift() ?? 'later';
    if (this.#unbegun !== null && this.#unbegun.size < mostConversationsClaimed)
      this.#unbegun.refill(mostConversationsClaimed);
    return number;
  }

  exhausted(): void {
    this.#exhausted = true;
    this.#stock.close();
  }

  /** Begins nothing more: gives back what was not begun, and is done when nothing is left. */
  retire(): ReturnedAsk[] {
    this.#retired = true;
    const unbegun = [...this.#again.splice(0), ...this.#stock.close().map((seq) => ({ seq, dueMs: null }))];
    this.parts.wake();
    return unbegun;
  }

  /** A new deal; where it came late, asks that went by and are ours now are sent late. */
  deal(deal: Deal): void {
    this.#deals.push(deal);
    const { order } = deal;
    this.#part = { index: Math.max(0, order.indexOf(this.parts.member)), of: order.length, slots: this.slots() ?? 0 };
    if (deal.fromMs < this.#decidedMs) {
      const mine = this.#passed.filter(({ seq, atMs }) => atMs >= deal.fromMs && this.#isMine(seq, atMs));
      this.#passed = this.#passed.filter((ask) => !mine.includes(ask));
      this.#again.push(...mine.map(({ seq, atMs }) => ({ seq, dueMs: atMs })));
    }
    this.#saidIdle = false;
    this.parts.wake();
  }

  /** Asks of others that are ours to send now. */
  again(asks: readonly ReturnedAsk[]): void {
    this.#again.push(...asks);
    this.#heardAgain += asks.length;
    this.#saidIdle = false;
    this.parts.wake();
  }

  /** Nothing more will come: the phase may end. */
  finish(): void {
    this.#finished = true;
    this.parts.wake();
  }

  next(view: PacerView): ReturnType<RequestDealer['next']> {
    const { nowMs, inFlight } = view;
    if (this.#finished) return 'done';
    if (this.#retired) return inFlight === 0 ? 'done' : 'wait';
    const slots = this.slots();
    const again = slots === null || inFlight < slots ? this.#again.shift() : undefined;
    if (again !== undefined) return { seq: again.seq, atMs: again.dueMs ?? nowMs };
    const dealt = this.#exhausted ? 'done' : this.#requests.next(view);
    // A newly dealt slot of a closed loop opens now, not at the beginning of the phase.
    if (isDealt(dealt)) return this.parts.load.kind === 'closed' ? { ...dealt, atMs: nowMs } : dealt;
    // A worker without a slot and without numbers reports that it is idle, so that the controller does not wait for it.
    if (dealt === 'done' || (slots === 0 && this.#stock.size === 0)) return this.#nothing(inFlight);
    return dealt === 'wait' && slots !== null && inFlight < slots ? { untilMs: nowMs + lookAgainMs } : dealt;
  }

  /** Numbers that are this member's, planned by count and not sent. */
  rest(): number | null {
    const again = this.#again.shift();
    if (again !== undefined) return again.seq;
    return isCount(this.parts.limits) ? (this.#stock.shift() ?? null) : null;
  }

  claim(): Claimed {
    const seq = this.#stock.shift();
    this.#restock();
    return seq ?? (this.#stock.over ? null : 'later');
  }

  owns(seq: number, atMs: number, nowMs: number): boolean | WaitUntil {
    if (atMs > nowMs + horizonMs) return { untilMs: atMs - horizonMs };
    this.#decidedMs = atMs;
    if (this.#isMine(seq, atMs)) return true;
    this.#passed.push({ seq, atMs });
    if (this.#passed[0]!.atMs < atMs - 2 * rememberMs)
      this.#passed = this.#passed.filter((passed) => passed.atMs >= atMs - rememberMs);
    return false;
  }

  part(): LoadPart {
    return this.#part;
  }

  #isMine(seq: number, atMs: number): boolean {
    return ownerOf(this.#deals, seq, atMs) === this.parts.member;
  }

  /** Claims numbers ahead of need: enough for a burst of ends, few enough that all members get some of the last ones. */
  #restock(): void {
    const { limits, conversations } = this.parts;
    const { slots, of } = this.#part;
    const wanted = Math.min(conversations === true ? mostConversationsClaimed : mostClaimed, Math.ceil(slots / 4));
    if (this.#stock.size > wanted / 2 || wanted === 0) return;
    const { requests } = limits;
    const fair =
      requests === null || conversations === true ? wanted : Math.floor((requests - this.#stock.lastTo) / (4 * of));
    this.#stock.refill(Math.max(1, Math.min(wanted, fair)));
  }

  #nothing(inFlight: number): 'wait' {
    if (inFlight === 0 && !this.#stock.claiming && !this.#saidIdle) {
      this.#saidIdle = true;
      this.parts.idle(this.heard);
    }
    return 'wait';
  }
}
