import { makePacer } from '../arrival/index.ts';
import type { PacerLimits } from '../arrival/index.ts';
import { invariant, problem } from '../core/index.ts';
import type { Ask, Ended, Exchange, Outcome, Problem, RunPlan, Workload } from '../core/index.ts';
import { inputCharsOf, takeAhead } from '../workload/index.ts';
import { Alarm } from './alarm.ts';
import { Flight } from './flight.ts';
import type { FlightSettings } from './flight.ts';
import type { Pool } from './pool.ts';
import type { RunClock } from './run-clock.ts';

/** What a phase works with; the same for warm-up and measuring. */
export interface PhaseParts {
  plan: RunPlan;
  clock: RunClock;
  pool: Pool;
  settings: FlightSettings;
  encode(ask: Ask): string;
  /** Every ask of the phase comes through here exactly once. */
  emit(ended: Ended): void;
}

/** An ask whose time has come while every slot is taken. */
interface Held {
  dueMs: number;
}

/**
 * One stretch of load: deals out asks as the pacer says until it is done or stopped, then drains.
 * Times given to the pacer are relative to the phase; times on the record are the run's.
 */
export class Phase {
  readonly #parts: PhaseParts;
  readonly #limits: PacerLimits;
  readonly #warmup: boolean;
  readonly #alarm: Alarm;
  readonly #flights = new Set<Flight>();
  readonly #held: Held[] = [];
  #startMs = 0;
  readonly #pacer;
  readonly #workload;
  #stopped = false;
  #pacerDone = false;
  #next: number | null = null;
  #awaiting = false;
  #pumping = false;
  #resolve: (() => void) | null = null;
  #reject: ((failure: unknown) => void) | null = null;
  due = 0;
  sent = 0;

  constructor(parts: PhaseParts, workload: Workload, limits: PacerLimits, warmup: boolean) {
    this.#parts = parts;
    this.#limits = limits;
    this.#warmup = warmup;
    this.#alarm = new Alarm(parts.clock, () => this.#pump());
    const seed = warmup ? parts.plan.seed + 1 : parts.plan.seed;
    this.#pacer = makePacer(parts.plan.load, limits, seed);
    this.#workload = takeAhead(workload, readAhead(parts.plan));
  }

  get inFlight(): number {
    return this.#flights.size;
  }

  get spunMs(): number {
    return this.#alarm.spunMs;
  }

  /** Runs to the end: every ask handed out has ended. Time begins when the first prompts are at hand. */
  async run(): Promise<void> {
    await this.#workload.ready();
    this.#startMs = this.#parts.clock.nowMs();
    await new Promise<void>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#pump();
    });
  }

  /** Sends no more; what is in flight goes on. */
  stopSending(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#alarm.clear();
    const nowMs = this.#parts.clock.nowMs();
    for (const held of this.#held.splice(0)) this.#unsent(held.dueMs, nowMs, 'cancelled', problem('not-sent'));
    // An ask handed out ahead of its time never came due.
    if (this.#next !== null) this.due--;
    this.#next = null;
    // A plan that is a count planned these asks, whether or not their time came; with a duration, only those due.
    const { requests, durationMs } = this.#limits;
    while (requests !== null && durationMs === null && this.due < requests) {
      this.due++;
      this.#unsent(nowMs, nowMs, 'cancelled', problem('not-sent'));
    }
    this.#settle();
  }

  /** Sends no more and gives up what is in flight. */
  cancelAll(): void {
    this.stopSending();
    const nowMs = this.#parts.clock.nowMs();
    for (const flight of this.#flights) flight.cancel(nowMs);
  }

  checkTimeouts(nowMs: number): void {
    for (const flight of this.#flights) flight.checkTimeouts(nowMs);
  }

  /** Deals out everything that is due now and sets the alarm for what is not. */
  #pump(): void {
    // A flight that fails at once calls back into here; the outer round goes on with it.
    if (this.#pumping) return;
    this.#pumping = true;
    try {
      while (!this.#stopped && this.#deal());
    } catch (failure) {
      this.#fail(failure);
    }
    this.#pumping = false;
    this.#settle();
  }

  /** One step of dealing; false when there is nothing to do until something happens. */
  #deal(): boolean {
    if (this.#awaiting) return false;
    if (this.#held.length > 0 && this.#hasSlot()) return this.#sendNext(this.#held.shift()!.dueMs);
    const nowMs = this.#parts.clock.nowMs();
    if (this.#next === null) {
      const view = { sent: this.sent, inFlight: this.inFlight + this.#held.length, nowMs: nowMs - this.#startMs };
      const pacing = this.#pacerDone ? 'done' : this.#pacer.next(view);
      if (pacing === 'done') this.#pacerDone = true;
      if (pacing === 'done' || pacing === 'wait') return false;
      this.due++;
      this.#next = pacing.atMs + this.#startMs;
    }
    if (this.#next > nowMs) {
      this.#alarm.set(this.#next);
      return false;
    }
    const dueMs = this.#next;
    this.#next = null;
    if (this.#hasSlot() && this.#held.length === 0) return this.#sendNext(dueMs);
    if (this.#parts.plan.load.dropLate) this.#unsent(dueMs, nowMs, 'dropped', problem('dropped-late'));
    else this.#held.push({ dueMs });
    return true;
  }

  #hasSlot(): boolean {
    const cap = this.#parts.plan.load.concurrency;
    return cap === null || this.#flights.size < cap;
  }

  /** Takes the next prompt, waiting for it if it is not there yet (the ask's lateness then shows it), and sends it. */
  #sendNext(dueMs: number): boolean {
    const prompt = this.#workload.next();
    if (!(prompt instanceof Promise)) {
      this.#send(dueMs, prompt);
      return true;
    }
    this.#awaiting = true;
    prompt.then(
      (ready) => {
        this.#awaiting = false;
        if (this.#stopped) this.#unsent(dueMs, this.#parts.clock.nowMs(), 'cancelled', problem('not-sent'));
        else this.#send(dueMs, ready);
        this.#pump();
      },
      (failure: unknown) => this.#fail(failure),
    );
    return false;
  }

  #send(dueMs: number, prompt: Ask['prompt'] | null): void {
    const { plan, pool, clock, settings, encode } = this.#parts;
    invariant(prompt !== null, 'a workload has as many prompts as the plan asks for');
    const ask: Ask = { seq: this.#seq(), prompt, generation: plan.generation };
    const request = encode(ask);
    const inputChars = inputCharsOf(prompt);
    const { connection, fresh } = pool.take();
    const flight = new Flight({
      ask,
      request,
      settings,
      connection,
      fresh,
      dueMs,
      nowMs: clock.nowMs(),
      warmup: this.#warmup,
      inputChars,
      redial: () => pool.replace(),
      ended: (ended, reusable) => {
        this.#flights.delete(flight);
        if (reusable) pool.give(flight.connection);
        this.#parts.emit(ended);
        this.#pump();
      },
    });
    this.#flights.add(flight);
  }

  /** Measured asks count up from 0, warm-up asks down from −1. */
  #seq(): number {
    const seq = this.#warmup ? -1 - this.sent : this.sent;
    this.sent++;
    return seq;
  }

  #unsent(dueMs: number, nowMs: number, outcome: Outcome, why: Problem): void {
    const exchange: Exchange = {
      seq: this.#seq(),
      promptId: '',
      labels: {},
      warmup: this.#warmup,
      dueMs,
      sentMs: null,
      connectMs: null,
      firstByteMs: null,
      chunks: { atMs: [], tokens: [], kinds: '' },
      endMs: nowMs,
      inputTokens: { planned: null, server: null, client: null },
      outputTokens: { planned: null, server: null, client: null },
      cachedTokens: null,
      reasoningTokens: null,
      inputChars: 0,
      outputChars: 0,
      finish: null,
      httpStatus: null,
      attempts: 0,
      outcome,
      problem: why,
    };
    this.#parts.emit({ exchange, answer: null });
  }

  #settle(): void {
    if (this.#pumping || this.#awaiting || this.#flights.size > 0) return;
    if (!this.#stopped && (!this.#pacerDone || this.#held.length > 0)) return;
    this.#resolve?.();
    this.#resolve = null;
  }

  #fail(failure: unknown): void {
    this.#stopped = true;
    this.#alarm.clear();
    for (const flight of this.#flights) flight.cancel(this.#parts.clock.nowMs());
    this.#reject?.(failure);
    this.#reject = null;
    this.#resolve = null;
  }
}

/** Prompts held ready: enough that a burst of ends finds the next ones there. */
function readAhead(plan: RunPlan): number {
  return Math.min(1024, Math.max(64, plan.load.concurrency ?? 256));
}
