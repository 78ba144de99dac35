import { wakeMsAfter } from '../sim/index.ts';
import type { Emission, EngineCore, EngineRequest, Step } from '../sim/index.ts';
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

/** A request on its way into the engine. */
export interface Arriving extends EngineRequest {
  /** When it was due, where its client told; absent = it arrived when it was read. */
  dueMs?: number;
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
  readonly #emit: (emissions: Emission[], step: Step) => void;
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

  /** speed 10 = ten simulated seconds per second. `emit` gets each step's tokens at its end. */
  constructor(core: EngineCore, speed: number, emit: (emissions: Emission[], step: Step) => void) {
    this.#core = core;
    this.#speed = speed;
    this.#emit = emit;
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
    this.#areDueTold = request.dueMs !== undefined;
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

  /** How long after its beginning it is decided who is in a step, wall clock. */
  get #graceMs(): number {
    return this.#areDueTold ? Math.min(mostLateMs, (mostOfStep * this.#lastStepMs) / this.#speed) : 0;
  }

  /** When there is something to do next, simulated time; null = not before somebody comes. */
  #nextMs(): number | null {
    if (this.#endMs !== null) return this.#endMs;
    const beginMs = this.#beginMs ?? this.#arriving[0]?.arrivalMs;
    return beginMs === undefined ? null : beginMs + this.#graceMs * this.#speed;
  }

  /** An engine that rests begins with the first that comes, and with nobody else. */
  #begin(): void {
    const first = this.#arriving[0];
    const isAwake = this.#beginMs !== null;
    const atMs = this.#beginMs ?? first!.arrivalMs;
    this.#beginMs = null;
    const wakesMs = isAwake || first!.dueMs === undefined ? 0 : wakeMsAfter(first!.dueMs - this.#core.restsSinceMs);
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

  #wait(): void {
    const untilMs = this.#nextMs();
    if (untilMs === null) return;
    const leftMs = (untilMs - this.nowMs()) / this.#speed;
    const isExact = this.#endMs !== null || this.#graceMs === 0;
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
    if (this.#step === null) return this.#begin();
    this.#worstLagMs = Math.max(this.#worstLagMs, lateMs);
    this.#emit(this.#core.endStep(), this.#step);
    this.#step = null;
    this.#endMs = null;
    this.#beginMs = dueMs;
    if (this.#graceMs === 0) this.#begin();
    else this.#wait();
  };
}

function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
