import { performance } from 'node:perf_hooks';
import type { Emission, EngineCore, EngineRequest, Step } from '../sim/index.ts';
import { nap } from './nap.ts';

/** Timers wake up late by a millisecond or so: the last stretch is waited out in turns of the event loop. */
const spinMs = 1.5;
/** Between two turns it naps, until shortly before the time: a client that is about to ask may need the processor. */
const napMs = 0.1;
const awakeMs = 0.2;

/**
 * Drives an engine core by the wall clock. A step that has ended late does not shift the next one: while there is
 * work, each step begins where the one before was meant to end, so that lateness never adds up. A request is there for the first step
 * that begins at or after its arrival (the one after it where steps are formed ahead), as in virtual time, however late the wall clock is.
 */
export class StepPacer {
  readonly #core: EngineCore;
  readonly #speed: number;
  readonly #emit: (emissions: Emission[], step: Step) => void;
  readonly #originMs = performance.now();
  #endMs: number | null = null;
  #step: Step | null = null;
  #timer: NodeJS.Timeout | null = null;
  #immediate: NodeJS.Immediate | null = null;
  #worstLagMs = 0;
  /** Not yet arrived, or arrived within the step under way, in the order of arrival. */
  #arriving: EngineRequest[] = [];

  /** speed 10 = ten simulated seconds per second. `emit` gets each step's tokens at its end. */
  constructor(core: EngineCore, speed: number, emit: (emissions: Emission[], step: Step) => void) {
    this.#core = core;
    this.#speed = speed;
    this.#emit = emit;
  }

  /** Simulated time. */
  nowMs(): number {
    return (performance.now() - this.#originMs) * this.#speed;
  }

  /** The most that a step's tokens came out after their time, on the wall clock. */
  get worstLagMs(): number {
    return this.#worstLagMs;
  }

  /** Puts a request before the engine at its arrivalMs, which is now, a little ago or later, and never before the last one's. */
  submit(request: EngineRequest): void {
    this.#arriving.push(request);
    const isIdle = this.#endMs === null && this.#timer === null && this.#immediate === null;
    // An engine that rests to let its queue fill looks at it again when somebody comes.
    const cutsRest = this.#step?.batchSize === 0 && this.#endMs !== null && request.arrivalMs < this.#endMs;
    if (cutsRest) {
      this.#endMs = request.arrivalMs;
      this.stop();
    }
    if (isIdle || cutsRest) this.#wait(request.arrivalMs);
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

  #begin(atMs: number): void {
    const late = this.#arriving.findIndex((request) => request.arrivalMs > atMs);
    for (const request of this.#arriving.splice(0, late === -1 ? this.#arriving.length : late))
      this.#core.submit(request);
    const step = this.#core.beginStep(atMs);
    const nextArrivalMs = this.#arriving[0]?.arrivalMs;
    this.#endMs = step?.endMs ?? null;
    if (step?.batchSize === 0) this.#endMs = Math.min(step.endMs, nextArrivalMs ?? Infinity);
    this.#step = step;
    const nextMs = this.#endMs ?? nextArrivalMs;
    if (nextMs !== undefined) this.#wait(nextMs);
  }

  #wait(untilMs: number): void {
    const leftMs = (untilMs - this.nowMs()) / this.#speed;
    if (leftMs > spinMs + 1) this.#timer = setTimeout(this.#look, Math.floor(leftMs - spinMs));
    else this.#immediate = setImmediate(this.#look);
  }

  readonly #look = (): void => {
    this.#timer = null;
    this.#immediate = null;
    const dueMs = this.#endMs ?? this.#arriving[0]?.arrivalMs;
    if (dueMs === undefined) return;
    const lateMs = (this.nowMs() - dueMs) / this.#speed;
    if (lateMs < 0) {
      const napsMs = Math.min(napMs, -lateMs - awakeMs);
      if (napsMs > 0) nap(napsMs);
      this.#wait(dueMs);
      return;
    }
    if (this.#step !== null) {
      this.#worstLagMs = Math.max(this.#worstLagMs, lateMs);
      this.#emit(this.#core.endStep(), this.#step);
    }
    this.#begin(dueMs);
  };
}
