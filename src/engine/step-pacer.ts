import { wakeMsAfter } from '../sim/index.ts';
import type { Emission, EngineCore, EngineRequest, Step } from '../sim/index.ts';
import type { Lead } from './lead.ts';
import { nap } from './nap.ts';
import { Outgoing } from './outgoing.ts';

/** Timers wake up late by a millisecond or so, on a busy host by three more: the last stretch is waited out in turns of the event loop. */
const spinMs = 4.5;
/** Between two turns it naps, until shortly before the time: a client that is about to ask may need the processor. */
const napMs = 0.1;
const awakeMs = 0.2;
/** For so long, wall clock, a request whose client told when it was due may be on its way here and still join the step that began meanwhile. */
const mostLateMs = 10;
/** But for no longer than this part of a step: its tokens must be known when it ends. */
const mostOfStep = 0.5;
/** So long before a step's end, wall clock, it is worked out what it makes: that takes time, and the first token of a request that was sent early leaves early. */
export const mostEarlyMs = 1;
/** The first token of who was late or early by less goes with the others. */
const leastLateMs = 0.05;
/** What is urgent is let be heard for so long before the rest is written. */
const hearingMs = 0.05;
/** Of so many steps that finished answers it is known when they ended. */
const rememberedEnds = 16;

/** A request on its way into the engine. */
export interface Arriving extends EngineRequest {
  /** When virtual time has it sent, where its client told; absent = it arrived when it was read. */
  askedMs?: number;
  /** So much later its client sent it (negative: earlier): its first token leaves as much later, since what the client measures began then. */
  lateMs?: number;
}

/** Gets tokens of a step when they are due, first and last ones apart from others; `tokens` = how many it made. */
export type Emit = (emissions: readonly Emission[], step: Step, tokens: number) => void;

/**
 * Drives an engine core by the wall clock. A step that has ended late does not shift the next one: while there is
 * work, each step begins where the one before was meant to end, so that lateness never adds up. A request is there for the first step
 * that begins at or after its arrival (the one after it where steps are formed ahead), as in virtual time, however late the wall clock is.
 * Where clients tell when and why requests were sent, who is in a step is decided a moment after it began, so that those still on their way are, too.
 */
export class StepPacer {
  readonly #core: EngineCore;
  readonly #speed: number;
  readonly #emit: Emit;
  readonly #lead: Pick<Lead, 'ms' | 'forMore'>;
  readonly #originMs = monotonicMs();
  /** The step under way, and when it ends. */
  #step: Step | null = null;
  #endMs: number | null = null;
  /** Who had arrived by then is in it. */
  #begunMs = -Infinity;
  /** A step ends or has ended then, and who is in the next is not decided yet. */
  #beginMs: number | null = null;
  #timer: NodeJS.Timeout | null = null;
  #immediate: NodeJS.Immediate | null = null;
  #worstLagMs = 0;
  #lastStepMs = Infinity;
  /** Clients tell when and why their requests were sent: the last one did. */
  #areTold = false;
  /** Not yet arrived, or arrived within the step under way, in the order of arrival. */
  #arriving: Arriving[] = [];
  /** By request that waits for its first token: how much later than its step's end that leaves. */
  readonly #late = new Map<number, number>();
  readonly #outgoing = new Outgoing();
  /** The token that left last was urgent. */
  #isUnheard = false;
  /** When the last steps ended that finished an answer. */
  readonly #answeredMs: number[] = [];

  /** speed 10 = ten simulated seconds per second. `emit` gets each step's tokens at its end, or as much earlier as `lead` says. */
  constructor(
    core: EngineCore,
    speed: number,
    emit: Emit,
    lead: Pick<Lead, 'ms' | 'forMore'> = { ms: 0, forMore: () => 0 },
  ) {
    this.#core = core;
    this.#speed = speed;
    this.#emit = emit;
    this.#lead = lead;
  }

  /** Simulated time. */
  nowMs(): number {
    return this.simulatedMs(monotonicMs());
  }

  /** The simulated time at a moment of CLOCK_MONOTONIC. */
  simulatedMs(atMs: number): number {
    return (atMs - this.#originMs) * this.#speed;
  }

  /** When the step ended that finished the answer whose end was heard at `heardMs`; null = nobody knows any more. */
  answeredMs(heardMs: number): number | null {
    return this.#answeredMs.findLast((endMs) => endMs - this.#aheadMs <= heardMs) ?? null;
  }

  /** The most that a step's tokens came out after their time, on the wall clock. */
  get worstLagMs(): number {
    return this.#worstLagMs;
  }

  /** Puts a request before the engine at its arrivalMs, which is now, a little ago or later. */
  submit(request: Arriving): void {
    const { id, lateMs = 0, askedMs, arrivalMs } = request;
    if (this.#step !== null && this.#step.batchSize > 0 && arrivalMs <= this.#begunMs) {
      this.#core.join(request);
      this.#endMs = this.#step.endMs;
    } else {
      const before = this.#arriving.findLastIndex((other) => other.arrivalMs <= arrivalMs);
      this.#arriving.splice(before + 1, 0, request);
    }
    if (Math.abs(lateMs) > leastLateMs * this.#speed) this.#late.set(id, lateMs);
    this.#areTold = askedMs !== undefined;
    // An engine that rests to let its queue fill looks at it again when somebody comes.
    if (this.#step?.batchSize === 0) this.#endMs = Math.max(this.#step.startMs, Math.min(this.#endMs!, arrivalMs));
    this.stop();
    this.#wait();
  }

  /** Takes a request out, arrived or not. */
  cancel(id: number): void {
    this.#late.delete(id);
    this.#outgoing.drop(id);
    if (this.#core.cancel(id)) return;
    this.#arriving = this.#arriving.filter((request) => request.id !== id);
  }

  /** Requests that have arrived and that no step has taken notice of yet. */
  get arrived(): number {
    const nowMs = this.nowMs();
    return this.#arriving.filter((request) => request.arrivalMs <= nowMs).length;
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#immediate !== null) clearImmediate(this.#immediate);
    this.#timer = null;
    this.#immediate = null;
  }

  /** So long before its end a step's tokens begin to be written, simulated time. */
  get #aheadMs(): number {
    return this.#lead.ms * this.#speed;
  }

  /** How long after its beginning it is decided who is in a step, wall clock. */
  get #graceMs(): number {
    return this.#areTold ? Math.min(mostLateMs, (mostOfStep * this.#lastStepMs) / this.#speed) : 0;
  }

  /** When there is something to do next with steps, simulated time; Infinity = not before somebody comes. */
  #nextOfStepsMs(): number {
    if (this.#step !== null && this.#step.batchSize > 0)
      return this.#endMs! - this.#aheadMs - mostEarlyMs * this.#speed;
    // A rest ends sooner if somebody comes, as a step that is not decided yet is joined.
    const beginMs = this.#endMs ?? this.#beginMs ?? this.#arriving[0]?.arrivalMs;
    return beginMs === undefined ? Infinity : beginMs + this.#graceMs * this.#speed;
  }

  /** An engine that rests begins with the first that comes, and with nobody else. */
  #begin(): void {
    const first = this.#arriving[0];
    const isAwake = this.#beginMs !== null;
    const atMs = this.#beginMs ?? first!.arrivalMs;
    this.#beginMs = null;
    this.#begunMs = atMs;
    const askedMs = isAwake ? undefined : first!.askedMs;
    const wakesMs = askedMs === undefined ? 0 : wakeMsAfter(askedMs - this.#core.restsSinceMs);
    const late = this.#arriving.findIndex((request) => request.arrivalMs > atMs);
    for (const request of this.#arriving.splice(0, late === -1 ? this.#arriving.length : late))
      this.#core.submit(request);
    const step = this.#core.beginStep(atMs + wakesMs);
    this.#step = step;
    this.#endMs = step?.endMs ?? null;
    if (step?.batchSize === 0) {
      const nextArrivalMs = this.#arriving[0]?.arrivalMs ?? Infinity;
      this.#endMs = Math.max(step.startMs, Math.min(step.endMs, nextArrivalMs));
    } else if (step !== null) this.#lastStepMs = step.endMs - step.startMs;
  }

  #endStep(step: Step): void {
    const endMs = this.#endMs!;
    const emissions = this.#core.endStep();
    // Steps shorter than somebody was late: no second token comes before the first.
    this.#letGo(() => Infinity);
    this.#outgoing.add(emissions, step, endMs - this.#aheadMs, {
      lateMs: (id) => this.#late.get(id) ?? 0,
      aheadMs: (tokens) => this.#lead.forMore(tokens) * this.#speed,
    });
    for (const { id, tokenIndex } of emissions) if (tokenIndex === 0) this.#late.delete(id);
    if (emissions.some(({ finished }) => finished)) {
      this.#answeredMs.push(endMs);
      if (this.#answeredMs.length > rememberedEnds) this.#answeredMs.shift();
    }
    this.#beginMs = endMs;
    this.#step = null;
    this.#endMs = null;
  }

  /** Hands out what is due by then. */
  #letGo(untilMs: () => number): void {
    for (;;) {
      const parcel = this.#outgoing.take(untilMs());
      if (parcel === null) return;
      const { emissions, step, tokens, urgent } = parcel;
      if (this.#isUnheard && !urgent) nap(hearingMs);
      this.#isUnheard = urgent;
      this.#emit(emissions, step, tokens);
    }
  }

  #wait(): void {
    const nowMs = this.nowMs();
    const outgoingMs = this.#outgoing.nextMs(nowMs);
    const untilMs = Math.min(outgoingMs, this.#nextOfStepsMs());
    if (untilMs === Infinity) return;
    const leftMs = (untilMs - nowMs) / this.#speed;
    const isExact = this.#endMs !== null || this.#graceMs === 0 || outgoingMs < Infinity;
    if (isExact && leftMs > spinMs + 1) this.#timer = setTimeout(this.#look, Math.floor(leftMs - spinMs));
    else if (isExact || leftMs <= 0) this.#immediate = setImmediate(this.#look);
    else this.#timer = setTimeout(this.#look, Math.ceil(leftMs));
  }

  readonly #look = (): void => {
    this.#timer = null;
    this.#immediate = null;
    const nowMs = this.nowMs();
    const dueMs = Math.min(this.#outgoing.nextMs(nowMs), this.#nextOfStepsMs());
    const leftMs = (dueMs - nowMs) / this.#speed;
    if (leftMs > 0) {
      const napsMs = Math.min(napMs, leftMs - awakeMs);
      if (napsMs > 0) nap(napsMs);
    } else this.#act();
    this.#wait();
  };

  /** Does all that is due. */
  #act(): void {
    if (this.#step !== null && this.#nextOfStepsMs() <= this.nowMs()) {
      this.#worstLagMs = Math.max(this.#worstLagMs, (this.nowMs() - this.#endMs!) / this.#speed);
      this.#endStep(this.#step);
    }
    this.#letGo(() => this.nowMs());
    if (this.#step === null && this.#nextOfStepsMs() <= this.nowMs()) this.#begin();
  }
}

function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
