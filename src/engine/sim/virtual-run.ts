import { requestSourceAt, handsOver, onlyPlace, RequestQueue } from '../../inputs/arrival/index.ts';
import type { DueRequest, NewConversation, PacerLimits, Turn } from '../../inputs/arrival/index.ts';
import type {
  Ended,
  Exchange,
  Outcome,
  Problem,
  ProblemCode,
  RunPlan,
  RunState,
  StopRule,
  StopSignals,
  Workload,
} from '../../core/index.ts';
import { invariant, problem } from '../../core/index.ts';
import { DeadlineHeap } from './deadline-heap.ts';
import type { EngineCore } from './engine-core.ts';
import type { Finish } from './engine-events.ts';
import type { FlightFaults } from './flight-faults.ts';
import { ServedEngine } from './served-engine.ts';
import type { Flight } from './sim-exchange.ts';
import { answerOf, endedFlight, keysOf, sentFlight, unsentFlight } from './sim-exchange.ts';

/** How long a simulated server takes to refuse a request; not 0, or a closed loop of refusals would stop the clock. */
const refusalMs = 1;
/** Turns of the event loop of a run between two breaths. */
const turnsPerBreath = 2000;

/** Warm-up or measuring: its own pacer on its own clock. */
interface Phase {
  warmup: boolean;
  queue: RequestQueue;
  workload: Workload;
  /** When to ask the queue again although nothing is due then; null = only when a request ends. */
  againMs: number | null;
  /** Stopped before its end. */
  stopped: boolean;
}

/** One plan in virtual time: an event loop over step ends, due times and deadlines. */
export class VirtualRun {
  readonly #flights = new Map<number, Flight>();
  readonly #deadlines = new DeadlineHeap<Flight>();
  readonly #served: ServedEngine;
  #nowMs = 0;
  #current: Phase | null = null;
  #sendingStopped = false;
  /** A stop rule asked for it. */
  #cancelAsked = false;
  #out: Ended[] = [];
  readonly #measured = { sent: 0, ok: 0, failed: 0 };

  constructor(
    private readonly plan: RunPlan,
    private readonly stops: StopSignals,
    private readonly rules: readonly StopRule[],
    private readonly core: EngineCore,
    private readonly workload: (phase: 'warmup' | 'measure') => Workload,
    private readonly breathe: (() => Promise<void>) | null,
    /** From the send until the server knows of a request. */
    overheadMs: number,
    private readonly simFaults: FlightFaults,
  ) {
    this.#served = new ServedEngine(core, overheadMs, (id, atMs) => {
      const flight = this.#flights.get(id);
      if (flight !== undefined) flight.headersMs = atMs;
    });
  }

  state(): RunState {
    const due = this.#current?.warmup === false ? this.#current.queue.due : 0;
    return { nowMs: this.#nowMs, inFlight: this.#flights.size, due, ...this.#measured };
  }

  async *exchanges(): AsyncGenerator<Ended> {
    const { warmup, requests, durationMs } = this.plan;
    invariant(requests !== null || durationMs !== null, 'a run has an end');
    if (warmup !== null && !this.stops.drain.aborted) {
      const limits =
        'requests' in warmup
          ? { requests: warmup.requests, durationMs: null }
          : { requests: null, durationMs: warmup.forMs };
      yield* this.#phase(this.#newPhase(true, limits));
    }
    const inStride = this.#flights.size > 0 && { inStride: true as const };
    yield* this.#phase(this.#newPhase(false, { requests, durationMs, ...inStride }));
  }

  #newPhase(warmup: boolean, limits: PacerLimits): Phase {
    const workload = this.workload(warmup ? 'warmup' : 'measure');
    const seed = warmup ? this.plan.seed + 1 : this.plan.seed;
    const { load } = this.plan;
    const conversations = workload.conversations === true;
    const requestSource = requestSourceAt(onlyPlace(), { load, limits, seed, conversations }, null);
    const queue = new RequestQueue({
      load,
      limits,
      requestSource,
      open: conversations ? opener(workload) : null,
      dropped: ({ seq, dueMs }) => this.#unsent(this.#current!, seq, dueMs, 'dropped', problem('dropped-late')),
    });
    queue.originMs = this.#nowMs;
    this.#current = { warmup, queue, workload, againMs: null, stopped: false };
    return this.#current;
  }

  async *#phase(phase: Phase): AsyncGenerator<Ended> {
    for (let turn = 1; ; turn++) {
      this.#heedStops(phase);
      await this.#dealOut(phase);
      yield* this.#handOut();
      if (phase.queue.isOver && (this.#flights.size === 0 || this.#isHandedOver(phase))) break;
      if (this.breathe !== null && turn % turnsPerBreath === 0) await this.breathe();
      this.#advance(phase);
      yield* this.#handOut();
    }
    // A step of requests that were all cancelled runs to its end all the same.
    if (this.#flights.size === 0) this.#nowMs = Math.max(this.#nowMs, this.core.settle() ?? this.#nowMs);
  }

  /** The measured part takes over what is left of the warm-up, slot by slot. */
  #isHandedOver({ warmup, workload, stopped }: Phase): boolean {
    return warmup && !stopped && workload.conversations !== true && handsOver(this.plan);
  }

  *#handOut(): Generator<Ended> {
    while (this.#out.length > 0) {
      const out = this.#out;
      this.#out = [];
      yield* out;
    }
  }

  #heedStops(phase: Phase): void {
    if (this.stops.drain.aborted) this.#sendingStopped = true;
    if (this.stops.cancel.aborted || this.#cancelAsked) this.#cancelAll();
    if (this.#sendingStopped && !phase.stopped) this.#sendNoMore(phase);
  }

  #cancelAll(): void {
    this.#sendingStopped = true;
    for (const flight of this.#flights.values()) {
      this.#cancel(flight);
      this.#end(flight, 'cancelled', problem('cancelled'));
    }
  }

  /** Planned requests that were not sent become cancelled records: the held ones and, where the plan is a count, all others. */
  #sendNoMore(phase: Phase): void {
    phase.stopped = true;
    phase.againMs = null;
    phase.queue.stop((seq, dueMs) => this.#unsent(phase, seq, dueMs ?? this.#nowMs, 'cancelled', problem('not-sent')));
  }

  /** Sends everything that is due by now and has a slot. */
  async #dealOut(phase: Phase): Promise<void> {
    phase.againMs = null;
    for (;;) {
      const move = phase.queue.next(this.#nowMs, this.#flights.size);
      if (move === 'wait' || move === 'done') return;
      if (move === 'again') continue;
      if (move instanceof Promise) await move;
      else if ('untilMs' in move) {
        phase.againMs = move.untilMs;
        return;
      } else await this.#send(phase, move);
    }
  }

  /** Measured asks count up from 0, warm-up asks down from −1. */
  #recorded(phase: Phase, seq: number): number {
    return phase.warmup ? -1 - seq : seq;
  }

  #unsent(phase: Phase, seq: number, dueMs: number, outcome: Outcome, why: Problem): void {
    this.#end(unsentFlight(this.#recorded(phase, seq), phase.warmup, dueMs), outcome, why);
  }

  async #send(phase: Phase, { seq, dueMs, turn }: DueRequest): Promise<void> {
    const next = turn?.prompt ?? phase.workload.next();
    const prompt = next instanceof Promise ? await next : next;
    invariant(prompt !== null, 'a workload has as many prompts as the plan asks for');
    if (!phase.warmup) this.#measured.sent++;
    const flight = sentFlight(this.plan, prompt, {
      seq: this.#recorded(phase, seq),
      warmup: phase.warmup,
      dueMs,
      sentMs: this.#nowMs,
      turn,
    });
    this.#flights.set(flight.seq, flight);
    const stuck = this.simFaults.strikes(flight, (input, output) => this.core.fits(input, output));
    if (stuck) {
      // Nothing but its deadline will end it.
    } else if (!this.core.fits(flight.inputTokens, flight.outputTokens)) flight.refusedAtMs = this.#nowMs + refusalMs;
    else this.#submit(flight);
    const { atMs } = this.#deadlineOf(flight);
    if (atMs < Infinity) this.#deadlines.push({ atMs, what: flight });
  }

  #submit(flight: Flight): void {
    const { seq: id, key: prompt, inputTokens, outputTokens } = flight;
    const { keyBlockSize } = this.core;
    this.#served.send({
      id,
      inputTokens,
      outputTokens,
      prompt,
      arrivalMs: this.#nowMs,
      ...(keyBlockSize !== null && { keys: keysOf(flight, keyBlockSize) }),
    });
  }

  /** Takes a flight out of the engine; the tokens it has made stay on its record. */
  #cancel(flight: Flight): void {
    flight.tokenAtMs = this.#served.cancel(flight.seq, this.#nowMs);
  }

  /** Deadlines only ever move later, so one entry in the heap per flight is enough: it is looked at again when it is due. */
  #deadlineOf(flight: Flight): { atMs: number; code: ProblemCode } {
    const { ttftMs, readMs } = this.plan.timeouts;
    const totalMs = Math.min(this.plan.timeouts.totalMs ?? Infinity, this.simFaults.timeoutMs ?? Infinity);
    const sentMs = flight.sentMs ?? this.#nowMs;
    const lastMs = flight.stream ? this.core.lastTokenMs(flight.seq) : null;
    const waitsForFirst = flight.stream && lastMs === null;
    const candidates: { atMs: number; code: ProblemCode }[] = [
      { atMs: flight.refusedAtMs ?? Infinity, code: 'http-4xx' },
      { atMs: waitsForFirst && ttftMs !== null ? sentMs + ttftMs : Infinity, code: 'timeout-ttft' },
      { atMs: (lastMs ?? sentMs) + (readMs ?? Infinity), code: 'timeout-read' },
      { atMs: sentMs + totalMs, code: 'timeout-total' },
    ];
    return candidates.reduce((first, next) => (next.atMs < first.atMs ? next : first));
  }

  /** Moves the clock to the next event and lets it happen; at one moment tokens come before deadlines. */
  #advance(phase: Phase): void {
    const deadlineMs = this.#deadlines.peek()?.atMs ?? Infinity;
    const dueMs = phase.againMs ?? Infinity;
    const outsideMs = Math.min(deadlineMs, dueMs);
    const finishes = this.#served.advance(outsideMs);
    const nextMs = finishes[0]?.endMs ?? outsideMs;
    invariant(nextMs < Infinity, 'a run that is not over has something to wait for');
    this.#nowMs = Math.max(this.#nowMs, nextMs);
    for (const finish of finishes) this.#made(finish);
    if (this.#nowMs >= deadlineMs) this.#missDeadlines();
  }

  /** The next step has begun before clients hear of this one: an ask that follows an answer joins the one after. */
  #made({ id, tokenAtMs, cachedTokens }: Finish): void {
    const flight = this.#flights.get(id);
    invariant(flight !== undefined, 'tokens belong to requests in flight');
    flight.tokenAtMs = tokenAtMs;
    flight.cachedTokens = cachedTokens;
    this.#end(flight, 'ok', null);
  }

  #missDeadlines(): void {
    for (let due = this.#deadlines.peek(); due !== null && due.atMs <= this.#nowMs; due = this.#deadlines.peek()) {
      this.#deadlines.pop();
      const flight = due.what;
      if (flight.ended) continue;
      const { atMs, code } = this.#deadlineOf(flight);
      if (atMs > this.#nowMs) this.#deadlines.push({ atMs, what: flight });
      else {
        this.#cancel(flight);
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
    if (flight.turn !== null && outcome !== 'cancelled') this.#goOn(flight, flight.turn, ended.exchange);
    if (flight.warmup) return;
    if (outcome === 'ok') this.#measured.ok++;
    if (outcome === 'failed') this.#measured.failed++;
    const state = this.state();
    const said = new Set(this.rules.map((rule) => rule(state, ended.exchange)));
    if (said.has('cancel-all')) this.#cancelAsked = true;
    if (said.has('stop-sending')) this.#sendingStopped = true;
  }

  /** What an answer leads to: the conversation's next turn, or turns that are never asked. Its user thinks from its end on. */
  #goOn(flight: Flight, turn: Turn, { outcome, endMs }: Exchange): void {
    const phase = this.#current!;
    const heard = outcome === 'ok' ? answerOf(flight) : null;
    for (const seq of phase.queue.ended(turn, heard, endMs))
      this.#unsent(phase, seq, this.#nowMs, 'dropped', problem('turn-lost'));
  }
}

/** Conversations of a workload, which are begun one after the other. */
function opener(workload: Workload): (number: number, dueMs: number | null) => Promise<NewConversation | null> {
  let turnsBefore = 0;
  return async (_number, dueMs) => {
    const prompt = await workload.next();
    if (prompt === null) return null;
    const opened = { prompt, turnsBefore, dueMs };
    turnsBefore += prompt.turns ?? 1;
    return opened;
  };
}
