import { requestSourceAt, RequestQueue } from '../../inputs/arrival/index.ts';
import type { RequestSource, DueRequest, PacerLimits, Turn } from '../../inputs/arrival/index.ts';
import { problem } from '../../core/index.ts';
import type { Ended, Outcome, Problem, Workload } from '../../core/index.ts';
import { PreciseTimer } from './precise-timer.ts';
import { RequestSerializer } from './request-serializer.ts';
import type { WrittenAsk } from './request-serializer.ts';
import { recordedEnding } from './lazy-record.ts';
import { Flight } from './flight.ts';
import { policyOf } from './phase-parts.ts';
import type { PreparedRequest, PhaseParts, RequestPolicy } from './phase-parts.ts';
import { SwapRemoveList } from './swap-remove-list.ts';
import { PromptPrefetcher, promptsAhead } from './prompt-prefetcher.ts';
import { joinedAttempts, longestTimerMs, retryWaits, timeoutsLeft, turnedAway } from './retry-policy.ts';
import { RoundBudget } from './round-budget.ts';
import { unsentExchange } from './unsent-exchange.ts';

/** Requests are sent for so long in any round of the event loop: more would make the stamps of what came meanwhile late. */
const mostSendingMs = 0.5;

/**
 * One stretch of load: deals out asks as the pacer says until it is done or stopped, then drains.
 * Times given to the pacer are relative to the phase; times on the record are the run's.
 */
export class Phase {
  readonly #timer: PreciseTimer;
  readonly #flights = new SwapRemoveList<Flight>();
  /** Before this no timeout of a flight passes. */
  #safeUntilMs = Infinity;
  readonly #requestSource: RequestSource;
  readonly #prompts: PromptPrefetcher;
  readonly #writer: RequestSerializer;
  readonly #policy: RequestPolicy;
  readonly #queue: RequestQueue;
  /** Asks that were turned away and wait to be made again, with how they stand; each keeps its slot. */
  readonly #waiting = new Map<NodeJS.Timeout, Ended>();
  readonly #retryWait: ReturnType<typeof retryWaits>;
  #stopped = false;
  #awaiting = false;
  #pumping = false;
  #pausing: NodeJS.Immediate | null = null;
  readonly #budget: RoundBudget;
  #resolve: (() => void) | null = null;
  #reject: ((failure: unknown) => void) | null = null;
  #after: Phase | null = null;
  #tellDealtOut: () => void = () => {};
  readonly #dealtOut = new Promise<void>((resolve) => (this.#tellDealtOut = resolve));
  sent = 0;

  constructor(
    private readonly parts: PhaseParts,
    workload: () => Workload,
    limits: PacerLimits,
    private readonly warmup: boolean,
    /** The warm-up whose slots this phase takes over as they are freed, and the phase that takes over this one's. */
    private readonly before: Phase | null = null,
  ) {
    if (before !== null) before.#after = this;
    this.#policy = policyOf(parts.plan);
    this.#timer = new PreciseTimer(parts.clock, () => this.#pump());
    const seed = warmup ? parts.plan.seed + 1 : parts.plan.seed;
    const { load } = parts.plan;
    this.#retryWait = retryWaits(seed);
    this.#prompts = new PromptPrefetcher(workload, promptsAhead(load.concurrency));
    this.#writer = new RequestSerializer({
      prompt: (number) => this.#prompts.take(number),
      ask: (number, prompt) => ({ seq: this.#recorded(number), prompt, generation: parts.plan.generation }),
      encode: parts.encode,
    });
    const { conversations } = this.#prompts;
    const phase = { load, limits, seed, conversations };
    this.#requestSource =
      parts.deal?.(phase, () => this.#wake()) ?? requestSourceAt(parts.place, phase, warmup ? null : parts.behind);
    const open = conversations ? (number: number, dueMs: number | null) => this.#prompts.open(number, dueMs) : null;
    const dropped = ({ seq, dueMs }: DueRequest): void =>
      this.#unsent(seq, dueMs, parts.clock.nowMs(), 'dropped', problem('dropped-late'));
    this.#queue = new RequestQueue({ load, limits, requestSource: this.#requestSource, open, dropped });
    this.#budget = new RoundBudget(parts.clock, mostSendingMs);
  }

  get inFlight(): number {
    return this.#flights.size + this.#waiting.size;
  }

  /** Asks that came due. */
  get due(): number {
    return this.#queue.due;
  }

  /** Requests that may be in flight at once; 0 = no cap, so no telling. */
  get slots(): number {
    return this.#requestSource.slots() ?? 0;
  }

  /** Slots that are in use: by requests, and by users of a closed loop between two turns. */
  get taken(): number {
    return this.inFlight + this.#queue.reserved;
  }

  get spunMs(): number {
    return this.#timer.spunMs;
  }

  /** Prompts are first turns of conversations. */
  get conversations(): boolean {
    return this.#prompts.conversations;
  }

  /** Settles once there is nothing more to send, whatever is still in flight. */
  dealtOut(): Promise<void> {
    return this.#dealtOut;
  }

  /** Gets the first prompts at hand. */
  ready(): Promise<void> {
    return this.#prompts.ready();
  }

  /** Runs to the end: every ask handed out has ended. Time begins at startMs of the run's clock. */
  async run(startMs: number): Promise<void> {
    this.#queue.originMs = startMs;
    await new Promise<void>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      // Threads are told their common beginning a little ahead.
      if (startMs > this.parts.clock.nowMs()) this.#timer.set(startMs);
      else this.#pump();
      this.#settle();
    });
  }

  /** Sends no more; what is in flight goes on. */
  stopSending(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#timer.clear();
    // A request that waits for its retry ends as its last attempt did.
    for (const [timer, ended] of this.#waiting) {
      clearTimeout(timer);
      this.parts.emit(recordedEnding(ended));
    }
    this.#waiting.clear();
    const nowMs = this.parts.clock.nowMs();
    this.#queue.stop((seq, dueMs) => this.#unsent(seq, dueMs ?? nowMs, nowMs, 'cancelled', problem('not-sent')));
    this.#settle();
  }

  /** Sends no more and gives up what is in flight. */
  cancelAll(): void {
    this.stopSending();
    const nowMs = this.parts.clock.nowMs();
    this.#flights.each((flight) => flight.cancel(nowMs));
  }

  /** Ends what has taken too long; flights are looked at only when one of them may have. */
  checkTimeouts(nowMs: number): void {
    if (nowMs < this.#safeUntilMs) return;
    this.#safeUntilMs = Infinity;
    this.#flights.each((flight) => {
      flight.checkTimeouts(nowMs);
      this.#safeUntilMs = Math.min(this.#safeUntilMs, flight.safeUntilMs);
    });
  }

  /** The source has a new request; before the phase begins nothing is sent for it. */
  #wake(): void {
    if (this.#resolve !== null && this.parts.clock.nowMs() >= this.#queue.originMs) this.#pump();
  }

  /** Deals out everything that is due now and sets the timer for what is not. */
  #pump(): void {
    // A flight that fails at once calls back into here; the outer round goes on with it.
    if (this.#pumping || this.#pausing !== null) return;
    if (this.#budget.spent) return this.#pumpLater();
    this.#pumping = true;
    const fromMs = this.parts.clock.nowMs();
    const untilMs = this.#budget.begin(fromMs);
    try {
      while (!this.#stopped && this.#deal()) {
        if (this.parts.clock.nowMs() < untilMs) continue;
        this.#pumpLater();
        break;
      }
    } catch (failure) {
      this.#fail(failure);
    }
    this.#budget.end(fromMs);
    this.#pumping = false;
    this.#settle();
  }

  /** Goes on after the sockets that have become readable: what they brought is not stamped late for our sending. */
  #pumpLater(): void {
    this.#pausing ??= setImmediate(() => {
      this.#pausing = null;
      this.#pump();
    });
  }

  /** One step of dealing; false when there is nothing to do until something happens. */
  #deal(): boolean {
    if (this.#awaiting) return false;
    const nowMs = this.parts.clock.nowMs();
    const move = this.#queue.next(nowMs, this.inFlight + (this.before?.inFlight ?? 0));
    if (typeof move === 'string') return move === 'again';
    if (move instanceof Promise) return this.#awaitOpening(move);
    if ('untilMs' in move) return this.#idle(move.untilMs, nowMs);
    return this.#sendNext(move);
  }

  /** Nothing to send: wakes for what comes due by itself, a slot that opens or a user who has thought. */
  #idle(untilMs: number, nowMs: number): false {
    this.#timer.set(untilMs);
    const { upcoming } = this.#queue;
    if (upcoming === null) return false;
    this.parts.pool.expect?.(untilMs - nowMs);
    this.#writer.writeAhead(upcoming.seq, untilMs - nowMs, upcoming.turn?.prompt);
    return false;
  }

  /** Takes the next prompt, waiting for it if it is not there yet (the ask's lateness then shows it), and sends it. */
  #sendNext(dealt: DueRequest): boolean {
    const written = this.#writer.take(dealt.seq, dealt.turn?.prompt);
    if (!(written instanceof Promise)) {
      this.#send(dealt, written);
      return true;
    }
    this.#awaiting = true;
    written.then(
      (ready) => {
        this.#awaiting = false;
        if (this.#stopped)
          this.#unsent(dealt.seq, dealt.dueMs, this.parts.clock.nowMs(), 'cancelled', problem('not-sent'));
        else this.#send(dealt, ready);
        this.#pump();
      },
      (failure: unknown) => this.#fail(failure),
    );
    return false;
  }

  #send(dealt: DueRequest, { ask, text, inputChars }: WrittenAsk): void {
    this.sent++;
    this.#fly({ dealt, ask, text, inputChars }, null, 1);
  }

  /** Makes one attempt at an ask; `before` is how the attempts so far ended, null for the first. */
  #fly(prepared: PreparedRequest, before: Ended | null, attempt: number): void {
    const { pool, clock, settings } = this.parts;
    const { dealt, ask, text, inputChars } = prepared;
    const session = this.#policy.bySession ? (ask.prompt.labels['session'] ?? null) : null;
    const { connection, fresh } = pool.take(session);
    // Each of several servers gets its own Host header.
    const request = this.#policy.severalServers
      ? text.replace(/^host: [^\r]*/m, `host: ${connection.hostHeader}`)
      : text;
    const nowMs = clock.nowMs();
    const flight = new Flight({
      ask,
      request,
      settings: before === null ? settings : { ...settings, timeouts: timeoutsLeft(settings.timeouts, before, nowMs) },
      connection,
      fresh,
      dueMs: dealt.dueMs,
      nowMs,
      warmup: this.warmup,
      inputChars,
      redial: () => pool.replace(session),
      hurry: (atMs) => (this.#safeUntilMs = Math.min(this.#safeUntilMs, atMs)),
      ended: (reusable) => {
        this.#flights.delete(flight);
        if (reusable) pool.give(flight.connection);
        const ending = before === null ? flight : recordedEnding(joinedAttempts(before, flight.record()));
        if (ending.outcome === 'failed' && this.#again(prepared, ending.record(), attempt)) return;
        this.parts.emit(ending);
        if (dealt.turn !== null) this.#goOn(dealt.turn, ending.record());
        this.#pump();
        if (this.#after !== null) this.#after.#wake();
      },
    });
    this.#flights.add(flight);
    flight.depart();
    this.#safeUntilMs = Math.min(this.#safeUntilMs, flight.safeUntilMs);
    // The ask is dropped, because no retry needs it, so that a long prompt is not held twice while its answer lasts.
    if (this.#policy.retries === 0) prepared.text = '';
  }

  /** Whether an ask that ended so is made again; it then waits for its time, which counts as its latency. */
  #again(prepared: PreparedRequest, ended: Ended, attempt: number): boolean {
    if (attempt > this.#policy.retries || this.#stopped || !turnedAway(ended.exchange)) return false;
    const waitMs = this.#retryWait(ended.exchange.problem!, attempt);
    const { totalMs } = this.parts.plan.timeouts;
    const pastMs = this.parts.clock.nowMs() - ended.exchange.sentMs!;
    if (waitMs > longestTimerMs || (totalMs !== null && pastMs + waitMs >= totalMs)) return false;
    const timer = setTimeout(() => {
      this.#waiting.delete(timer);
      this.#fly(prepared, ended, attempt + 1);
    }, waitMs);
    this.#waiting.set(timer, ended);
    return true;
  }

  /** Waits for the next conversation to be read; what is due meanwhile leaves late and says so. */
  #awaitOpening(reading: Promise<void>): boolean {
    this.#awaiting = true;
    const done = (): void => {
      this.#awaiting = false;
      this.#pump();
    };
    reading.then(done, (failure: unknown) => this.#fail(failure));
    return false;
  }

  /** What an answer leads to: the conversation's next turn, or, where it cannot go on, turns that are never asked. */
  #goOn(turn: Turn, { exchange, answer }: Ended): void {
    const { endMs, outcome, outputTokens } = exchange;
    const heard = outcome === 'ok' && answer !== null ? { ...answer, outputTokens: outputTokens.server } : null;
    for (const seq of this.#queue.ended(turn, heard, endMs))
      this.#unsent(seq, endMs, endMs, 'dropped', problem('turn-lost'));
  }

  /** Measured asks count up from 0, warm-up asks down from −1. */
  #recorded(seq: number): number {
    return this.warmup ? -1 - seq : seq;
  }

  #unsent(seq: number, dueMs: number, nowMs: number, outcome: Outcome, why: Problem): void {
    const asked = { seq: this.#recorded(seq), warmup: this.warmup, dueMs };
    const exchange = unsentExchange(asked, nowMs, outcome, why);
    this.parts.emit(recordedEnding({ exchange, answer: null }));
  }

  #settle(): void {
    if (this.#pumping || this.#awaiting) return;
    if (!this.#stopped && !this.#queue.isOver) return;
    this.#tellDealtOut();
    if (this.inFlight > 0) return;
    this.#resolve?.();
    this.#resolve = null;
  }

  #fail(failure: unknown): void {
    this.#stopped = true;
    this.#timer.clear();
    this.#flights.each((flight) => flight.cancel(this.parts.clock.nowMs()));
    this.#reject?.(failure);
    this.#reject = null;
    this.#resolve = null;
  }
}
