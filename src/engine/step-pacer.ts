import { performance } from 'node:perf_hooks';
import type { Emission, EngineCore, Step } from '../sim/index.ts';

/** Timers wake up late by a millisecond or so: the last stretch is waited out in turns of the event loop. */
const spinMs = 1.5;

/**
 * Drives an engine core by the wall clock. A step that has ended late does not shift the next one: while there is
 * work, each step begins where the one before was meant to end, so that lateness never adds up.
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

  /** To be called after a submit: starts a step if none is running. */
  wake(): void {
    if (this.#endMs === null) this.#begin(this.nowMs());
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#immediate !== null) clearImmediate(this.#immediate);
    this.#timer = null;
    this.#immediate = null;
  }

  #begin(atMs: number): void {
    const step = this.#core.beginStep(atMs);
    this.#endMs = step?.endMs ?? null;
    this.#step = step;
    if (step !== null) this.#wait();
  }

  #wait(): void {
    const leftMs = (this.#endMs! - this.nowMs()) / this.#speed;
    if (leftMs > spinMs + 1) this.#timer = setTimeout(this.#look, Math.floor(leftMs - spinMs));
    else this.#immediate = setImmediate(this.#look);
  }

  readonly #look = (): void => {
    const endMs = this.#endMs!;
    const lateMs = (this.nowMs() - endMs) / this.#speed;
    if (lateMs < 0) {
      this.#wait();
      return;
    }
    this.#worstLagMs = Math.max(this.#worstLagMs, lateMs);
    this.#emit(this.#core.endStep(), this.#step!);
    this.#begin(endMs);
  };
}
