import { wakeMsAfter } from '../sim/index.ts';
import type { Emission, EngineCore, EngineRequest, Step, ToldTimes } from '../sim/index.ts';
import type { Lead } from './lead.ts';
import { nap } from './nap.ts';

/** Timers wake up late by a millisecond or so: the last stretch is waited out in turns of the event loop. */
const spinMs = 1.5;
/** Between two turns it naps, until shortly before the time: a client that is about to ask may need the processor. */
const napMs = 0.1;
const awakeMs = 0.2;
/** For so long, wall clock, a request whose client told when it was due may be on its way here and still join the step that began meanwhile. */
export const mostLateMs = 5;
/** But for no longer than this part of a step: its tokens must be known when it ends. */
const mostOfStep = 0.5;
/** The first token of who was late by less is not made to wait. */
const leastLateMs = 0.05;

/** A request on its way into the engine. */
export interface Arriving extends EngineRequest {
  /** When it was sent and due, where its client told; absent = it arrived when it was read. */
  told?: ToldTimes;
  /** So much later than it should have, its client sent it: its first token waits as long, since what the client measures began later. */
  lateMs?: number;
}

/** Gets tokens of a step when they are due; `tokens` = how many it made. */
export type Emit = (emissions: Emission[], step: Step, tokens: number) => void;

/** A first token that waits, and until when. */
interface Held {
  untilMs: number;
  emission: Emission;
  step: Step;
  tokens: number;
}

/**
 * Drives an engine core by the wall clock. A step that has ended late does not shift the next one: while there is
 * work, each step begins where the one before was meant to end, so that lateness never adds up. A request is there for the first step
 * that begins at or after its arrival (the one after it where steps are formed ahead), as in virtual time, however late the wall clock is.
 * Where clients tell when requests were due, who is in a step is decided a moment after it began, so that those still on their way are, too.
 */
export class StepPacer {
  readonly #core: EngineCore;
  readonly #speed: number;
  readonly #emit: Emit;
  readonly #lead: Pick<Lead, 'ms'>;
  readonly #originMs = monotonicMs();
  /** The step under way, and when it ends. */
  #step: Step | null = null;
  #endMs: number | null = null;
  /** A step has ended then, and who is in the next is not decided yet. */
  #beginMs: number | null = null;
  #timer: NodeJS.Timeout | null = null;
  #immediate: NodeJS.Immediate | null = null;
  #worstLagMs = 0;
  #lastStepMs = Infinity;
  /** Clients tell when their requests were due: the last one did. */
  #areDueTold = false;
  /** Not yet arrived, or arrived within the step under way, in the order of arrival. */
  #arriving: Arriving[] = [];
  /** By request: how long its first token is to wait. */
  readonly #late = new Map<number, number>();
  /** Those that wait, in the order of their times. */
  #held: Held[] = [];

  /** speed 10 = ten simulated seconds per second. `emit` gets each step's tokens at its end, or as much earlier as `lead` says. */
  constructor(core: EngineCore, speed: number, emit: Emit, lead: Pick<Lead, 'ms'> = { ms: 0 }) {
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

  /** The most that a step's tokens came out after their time, on the wall clock. */
  get worstLagMs(): number {
    return this.#worstLagMs;
  }

  /** Puts a request before the engine at its arrivalMs, which is now, a little ago or later. */
  submit(request: Arriving): void {
    const before = this.#arriving.findLastIndex(({ arrivalMs }) => arrivalMs <= request.arrivalMs);
    this.#arriving.splice(before + 1, 0, request);
    if ((request.lateMs ?? 0) > leastLateMs) this.#late.set(request.id, request.lateMs!);
    this.#areDueTold = request.told !== undefined && request.told.dueMs !== null;
    const isIdle = this.#timer === null && this.#immediate === null;
    // An engine that rests to let its queue fill looks at it again when somebody comes.
    const cutsRest = this.#step?.batchSize === 0 && this.#endMs !== null && request.arrivalMs < this.#endMs;
    if (cutsRest) {
      this.#endMs = Math.max(this.#step!.startMs, request.arrivalMs);
      this.stop();
    }
    if (isIdle || cutsRest) this.#wait();
  }

  /** Takes a request out, arrived or not. */
  cancel(id: number): void {
    this.#late.delete(id);
    this.#held = this.#held.filter(({ emission }) => emission.id !== id);
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
    return this.#areDueTold ? Math.min(mostLateMs, (mostOfStep * this.#lastStepMs) / this.#speed) : 0;
  }

  /** When there is something to do next, simulated time; null = not before somebody comes. */
  #nextMs(): number | null {
    const stepMs = this.#nextOfStepsMs();
    const heldMs = this.#held[0]?.untilMs;
    return heldMs === undefined || (stepMs !== null && stepMs <= heldMs) ? stepMs : heldMs;
  }

  #nextOfStepsMs(): number | null {
    if (this.#endMs !== null) return this.#endMs - this.#aheadMs;
    const beginMs = this.#beginMs ?? this.#arriving[0]?.arrivalMs;
    return beginMs === undefined ? null : beginMs + this.#graceMs * this.#speed;
  }

  /** An engine that rests begins with the first that comes, and with nobody else. */
  #begin(): void {
    const first = this.#arriving[0];
    const isAwake = this.#beginMs !== null;
    const atMs = this.#beginMs ?? first!.arrivalMs;
    this.#beginMs = null;
    const told = isAwake ? undefined : first!.told;
    const wakesMs = told === undefined ? 0 : wakeMsAfter((told.dueMs ?? told.sentMs) - this.#core.restsSinceMs);
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
    this.#wait();
  }

  #endStep(step: Step): void {
    const emissions = this.#core.endStep();
    // Steps shorter than somebody was late: no second token comes before the first.
    for (const held of this.#held.splice(0)) this.#letGo(held);
    const tokens = emissions.length;
    const punctual = this.#late.size === 0 ? emissions : emissions.filter(({ id }) => !this.#late.has(id));
    if (punctual.length > 0) this.#emit(punctual, step, tokens);
    if (punctual.length === tokens) return;
    for (const emission of emissions) {
      const lateMs = this.#late.get(emission.id);
      if (lateMs !== undefined)
        this.#held.push({ untilMs: this.#endMs! - this.#aheadMs + lateMs, emission, step, tokens });
      this.#late.delete(emission.id);
    }
    this.#held.sort((a, b) => a.untilMs - b.untilMs);
  }

  #letGo({ emission, step, tokens }: Held): void {
    this.#emit([emission], step, tokens);
  }

  #wait(): void {
    const untilMs = this.#nextMs();
    if (untilMs === null) return;
    const leftMs = (untilMs - this.nowMs()) / this.#speed;
    const isExact = this.#endMs !== null || this.#graceMs === 0 || this.#held.length > 0;
    if (isExact && leftMs > spinMs + 1) this.#timer = setTimeout(this.#look, Math.floor(leftMs - spinMs));
    else if (isExact || leftMs <= 0) this.#immediate = setImmediate(this.#look);
    else this.#timer = setTimeout(this.#look, Math.ceil(leftMs));
  }

  readonly #look = (): void => {
    this.#timer = null;
    this.#immediate = null;
    const dueMs = this.#nextMs();
    if (dueMs === null) return;
    const lateMs = (this.nowMs() - dueMs) / this.#speed;
    if (lateMs < 0) {
      const napsMs = Math.min(napMs, -lateMs - awakeMs);
      if (napsMs > 0) nap(napsMs);
      this.#wait();
      return;
    }
    if (dueMs !== this.#nextOfStepsMs()) {
      this.#letGo(this.#held.shift()!);
      this.#wait();
      return;
    }
    if (this.#step === null) return this.#begin();
    this.#worstLagMs = Math.max(this.#worstLagMs, lateMs - this.#lead.ms);
    this.#endStep(this.#step);
    this.#beginMs = this.#endMs;
    this.#step = null;
    this.#endMs = null;
    if (this.#nextOfStepsMs()! <= this.nowMs()) this.#begin();
    else this.#wait();
  };
}

function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
