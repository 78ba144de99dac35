import type { Pacer, PacerLimits } from '../arrival/index.ts';
import { makePacer } from '../arrival/index.ts';
import type {
  Ended,
  Outcome,
  Problem,
  ProblemCode,
  RunPlan,
  RunState,
  StopRule,
  Stops,
  Workload,
} from '../core/index.ts';
import { invariant, problem } from '../core/index.ts';
import { DeadlineHeap } from './deadline-heap.ts';
import type { EngineCore, Step } from './engine-core.ts';
import type { Flight } from './sim-exchange.ts';
import { endedFlight } from './sim-exchange.ts';
import { drawOutputTokens, estimateTokens, textOfPrompt } from './token-estimate.ts';

/** How long a simulated server takes to refuse a request; not 0, or a closed loop of refusals would stop the clock. */
const refusalMs = 1;
/** Turns of the event loop of a run between two breaths. */
const turnsPerBreath = 2000;

/** Warm-up or measuring: its own pacer on its own clock. */
interface Phase {
  warmup: boolean;
  limits: PacerLimits;
  pacer: Pacer;
  originMs: number;
  /** Asks that came due. */
  due: number;
  sent: number;
  /** The next due time, once the pacer has said it. */
  nextDueMs: number | null;
  /** Nothing more will come due. */
  over: boolean;
}

/** One plan in virtual time: an event loop over step ends, due times and deadlines. */
export class VirtualRun {
  readonly #flights = new Map<number, Flight>();
  readonly #deadlines = new DeadlineHeap<Flight>();
  #backlog: Flight[] = [];
  #step: Step | null = null;
  #nowMs = 0;
  #seq = 0;
  #sendingStopped = false;
  /** A stop rule asked for it. */
  #cancelAsked = false;
  #out: Ended[] = [];
  readonly #measured = { due: 0, sent: 0, ok: 0, failed: 0 };

  constructor(
    private readonly plan: RunPlan,
    private readonly stops: Stops,
    private readonly rules: readonly StopRule[],
    private readonly core: EngineCore,
    private readonly workload: Workload,
    private readonly breathe: (() => Promise<void>) | null,
  ) {}

  state(): RunState {
    return { nowMs: this.#nowMs, inFlight: this.#flights.size, ...this.#measured };
  }

  async *exchanges(): AsyncGenerator<Ended> {
    const { warmup, requests, durationMs } = this.plan;
    invariant(requests !== null || durationMs !== null, 'a run has an end');
    if (warmup !== null) {
      const limits =
        'requests' in warmup
          ? { requests: warmup.requests, durationMs: null }
          : { requests: null, durationMs: warmup.forMs };
      yield* this.#phase(this.#newPhase(true, limits));
    }
    yield* this.#phase(this.#newPhase(false, { requests, durationMs }));
  }

  #newPhase(warmup: boolean, limits: PacerLimits): Phase {
    const pacer = makePacer(this.plan.load, limits, this.plan.seed);
    return { warmup, limits, pacer, originMs: this.#nowMs, due: 0, sent: 0, nextDueMs: null, over: false };
  }

  async *#phase(phase: Phase): AsyncGenerator<Ended> {
    for (let turn = 1; ; turn++) {
      await this.#heedStops(phase);
      await this.#takeDue(phase);
      this.#sendBacklog(phase);
      this.#step ??= this.core.beginStep(this.#nowMs);
      yield* this.#handOut();
      if (this.#flights.size === 0 && this.#backlog.length === 0 && phase.over) break;
      if (this.breathe !== null && turn % turnsPerBreath === 0) await this.breathe();
      this.#advance(phase);
      yield* this.#handOut();
    }
    // A step of requests that were all cancelled runs to its end all the same.
    if (this.#step !== null) {
      this.#nowMs = Math.max(this.#nowMs, this.#step.endMs);
      this.#step = null;
      this.core.endStep();
    }
  }

  *#handOut(): Generator<Ended> {
    while (this.#out.length > 0) {
      const out = this.#out;
      this.#out = [];
      yield* out;
    }
  }

  async #heedStops(phase: Phase): Promise<void> {
    if (this.stops.sending.aborted) this.#sendingStopped = true;
    if (this.stops.everything.aborted || this.#cancelAsked) this.#cancelAll();
    if (this.#sendingStopped && !phase.over) await this.#sendNoMore(phase);
  }

  #cancelAll(): void {
    this.#sendingStopped = true;
    for (const flight of this.#flights.values()) {
      this.core.cancel(flight.seq);
      this.#end(flight, 'cancelled', problem('cancelled'));
    }
  }

  /** What is planned and not sent comes out as cancelled: the backlog, and, where the count is known, all the rest. */
  async #sendNoMore(phase: Phase): Promise<void> {
    phase.over = true;
    phase.nextDueMs = null;
    this.#dropBacklog();
    if (phase.limits.requests === null || phase.limits.durationMs !== null) return;
    for (let left = phase.limits.requests - phase.due; left > 0; left--) {
      const flight = await this.#newFlight(phase, this.#nowMs);
      this.#end(flight, 'cancelled', problem('not-sent'));
    }
  }

  #dropBacklog(): void {
    const backlog = this.#backlog;
    this.#backlog = [];
    for (const flight of backlog) this.#end(flight, 'cancelled', problem('not-sent'));
  }

  async #takeDue(phase: Phase): Promise<void> {
    while (!phase.over) {
      if (phase.nextDueMs === null) {
        const view = {
          sent: phase.sent,
          inFlight: this.#flights.size + this.#backlog.length,
          nowMs: this.#nowMs - phase.originMs,
        };
        const pacing = phase.pacer.next(view);
        if (pacing === 'done') phase.over = true;
        if (typeof pacing === 'string') return;
        phase.nextDueMs = phase.originMs + pacing.atMs;
      }
      if (phase.nextDueMs > this.#nowMs) return;
      const flight = await this.#newFlight(phase, phase.nextDueMs);
      phase.nextDueMs = null;
      this.#comeDue(phase, flight);
      if (flight.prompt === null) {
        this.#sendingStopped = true;
        await this.#sendNoMore(phase);
      }
    }
  }

  #comeDue(phase: Phase, flight: Flight): void {
    phase.due++;
    if (!phase.warmup) this.#measured.due++;
    if (flight.prompt === null) this.#end(flight, 'cancelled', problem('not-sent', 'the workload ran out of prompts'));
    else if (this.#hasSlot()) this.#send(phase, flight);
    else if (this.plan.load.dropLate) this.#end(flight, 'dropped', problem('dropped-late'));
    else this.#backlog.push(flight);
  }

  #hasSlot(): boolean {
    return this.#flights.size < (this.plan.load.concurrency ?? Infinity);
  }

  #sendBacklog(phase: Phase): void {
    if (this.#backlog.length === 0) return;
    if (this.#nowMs >= this.#sendingEndMs(phase)) this.#dropBacklog();
    let taken = 0;
    while (taken < this.#backlog.length && this.#hasSlot()) this.#send(phase, this.#backlog[taken++]!);
    if (taken > 0) this.#backlog.splice(0, taken);
  }

  #sendingEndMs(phase: Phase): number {
    return phase.originMs + (phase.limits.durationMs ?? Infinity);
  }

  async #newFlight(phase: Phase, dueMs: number): Promise<Flight> {
    const { generation, seed } = this.plan;
    const prompt = await this.workload.next();
    const maxTokens = prompt?.maxTokens ?? generation.maxTokens;
    const outputTokens = drawOutputTokens(seed, prompt?.id ?? '', {
      maxTokens,
      minTokens: generation.minTokens,
      ignoreEos: generation.ignoreEos,
    });
    return {
      seq: this.#seq++,
      prompt,
      warmup: phase.warmup,
      stream: generation.stream,
      dueMs,
      sentMs: null,
      inputTokens: prompt === null ? 0 : Math.max(1, prompt.inputTokens ?? estimateTokens(textOfPrompt(prompt))),
      outputTokens,
      atLimit: outputTokens === maxTokens,
      refusedAtMs: null,
      tokenAtMs: [],
      ended: false,
    };
  }

  #send(phase: Phase, flight: Flight): void {
    phase.sent++;
    if (!phase.warmup) this.#measured.sent++;
    flight.sentMs = this.#nowMs;
    this.#flights.set(flight.seq, flight);
    const { seq: id, inputTokens, outputTokens } = flight;
    if (this.core.fits(inputTokens, outputTokens)) {
      this.core.submit({ id, inputTokens, outputTokens, arrivalMs: this.#nowMs });
    } else flight.refusedAtMs = this.#nowMs + refusalMs;
    const { atMs } = this.#deadlineOf(flight);
    if (atMs < Infinity) this.#deadlines.push({ atMs, what: flight });
  }

  /** Deadlines only ever move later, so one entry in the heap per flight is enough: it is looked at again when it is due. */
  #deadlineOf(flight: Flight): { atMs: number; code: ProblemCode } {
    const { totalMs, ttftMs, readMs } = this.plan.timeouts;
    const sentMs = flight.sentMs ?? 0;
    const lastReadMs = (flight.stream ? flight.tokenAtMs.at(-1) : undefined) ?? sentMs;
    const waitsForFirst = flight.stream && flight.tokenAtMs.length === 0;
    const candidates: { atMs: number; code: ProblemCode }[] = [
      { atMs: flight.refusedAtMs ?? Infinity, code: 'http-4xx' },
      { atMs: waitsForFirst && ttftMs !== null ? sentMs + ttftMs : Infinity, code: 'timeout-ttft' },
      { atMs: lastReadMs + (readMs ?? Infinity), code: 'timeout-read' },
      { atMs: sentMs + (totalMs ?? Infinity), code: 'timeout-total' },
    ];
    return candidates.reduce((first, next) => (next.atMs < first.atMs ? next : first));
  }

  /** Moves the clock to the next event and lets it happen; at one moment tokens come before deadlines. */
  #advance(phase: Phase): void {
    const stepMs = this.#step?.endMs ?? Infinity;
    const deadlineMs = this.#deadlines.peek()?.atMs ?? Infinity;
    const dueMs = phase.nextDueMs ?? Infinity;
    const cutMs = this.#backlog.length > 0 ? this.#sendingEndMs(phase) : Infinity;
    const next = Math.min(stepMs, deadlineMs, dueMs, cutMs);
    invariant(next < Infinity, 'a run that is not over has something to wait for');
    this.#nowMs = Math.max(this.#nowMs, next);
    if (this.#nowMs >= stepMs) this.#endStep();
    if (this.#nowMs >= deadlineMs) this.#missDeadlines();
  }

  #endStep(): void {
    this.#step = null;
    for (const { id, finished } of this.core.endStep()) {
      const flight = this.#flights.get(id);
      invariant(flight !== undefined, 'tokens belong to requests in flight');
      flight.tokenAtMs.push(this.#nowMs);
      if (finished) this.#end(flight, 'ok', null);
    }
  }

  #missDeadlines(): void {
    for (let due = this.#deadlines.peek(); due !== null && due.atMs <= this.#nowMs; due = this.#deadlines.peek()) {
      this.#deadlines.pop();
      const flight = due.what;
      if (flight.ended) continue;
      const { atMs, code } = this.#deadlineOf(flight);
      if (atMs > this.#nowMs) this.#deadlines.push({ atMs, what: flight });
      else {
        this.core.cancel(flight.seq);
        const refused = code === 'http-4xx';
        const words = refused ? 'prompt and answer need more KV blocks than the engine has' : null;
        this.#end(flight, 'failed', problem(code, words, refused ? 400 : null));
      }
    }
  }

  #end(flight: Flight, outcome: Outcome, why: Problem | null): void {
    flight.ended = true;
    this.#flights.delete(flight.seq);
    const ended = endedFlight(flight, this.#nowMs, outcome, why);
    this.#out.push(ended);
    if (!flight.warmup && outcome === 'ok') this.#measured.ok++;
    if (!flight.warmup && outcome === 'failed') this.#measured.failed++;
    if (outcome === 'cancelled') return;
    const state = this.state();
    const said = this.rules.map((rule) => rule(state, ended.exchange));
    if (said.includes('cancel-all')) this.#cancelAsked = true;
    if (said.includes('stop-sending')) this.#sendingStopped = true;
  }
}
