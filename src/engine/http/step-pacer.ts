import type { Emission, EngineCore, EngineRequest, Step } from '../sim/index.ts';
import { wallClock } from './pacer-clock.ts';
import type { PacerClock } from './pacer-clock.ts';

/** Gets the tokens of a step as soon as it has ended. */
export type Emit = (emissions: readonly Emission[], step: Step) => void;

/**
 * Drives an engine core by a clock. Whatever is due by now happens in the order of its times, as in virtual time: a step ends, the next begins at
 * that very moment, and a request is there for the first step that begins after its arrival. So a host that wakes late delays tokens and no step.
 */
export class StepPacer {
  readonly #core: EngineCore;
  readonly #speed: number;
  readonly #emit: Emit;
  readonly #clock: PacerClock;
  readonly #originMs: number;
  /** Still in the server's front, in the order of arrival. */
  #arriving: EngineRequest[] = [];
  #unset: (() => void) | null = null;
  #worstLagMs = 0;

  /** speed 10 = ten simulated seconds per second. */
  constructor(core: EngineCore, speed: number, emit: Emit, clock: PacerClock = wallClock) {
    this.#core = core;
    this.#speed = speed;
    this.#emit = emit;
    this.#clock = clock;
    this.#originMs = clock.nowMs();
  }

  /** Simulated time. */
  nowMs(): number {
    return (this.#clock.nowMs() - this.#originMs) * this.#speed;
  }

  /** The most that a step's tokens came out after its end, on the clock. */
  get worstLagMs(): number {
    return this.#worstLagMs;
  }

  /** Puts a request before the engine at its arrivalMs, simulated time. */
  submit(request: EngineRequest): void {
    const before = this.#arriving.findLastIndex(({ arrivalMs }) => arrivalMs <= request.arrivalMs);
    this.#arriving.splice(before + 1, 0, request);
    this.#wait();
  }

  /** Takes a request out, arrived or not. */
  cancel(id: number): void {
    if (!this.#core.cancel(id)) this.#arriving = this.#arriving.filter((request) => request.id !== id);
  }

  stop(): void {
    this.#unset?.();
    this.#unset = null;
  }

  /** A moment of simulated time on the clock. */
  #clockMs(atMs: number): number {
    return this.#originMs + atMs / this.#speed;
  }

  #wait(): void {
    this.stop();
    const dueMs = Math.min(this.#core.step?.endMs ?? Infinity, this.#arriving[0]?.arrivalMs ?? Infinity);
    if (dueMs < Infinity) this.#unset = this.#clock.wake(this.#clockMs(dueMs), this.#look);
  }

  /** One step at a time: where the host cannot keep up, sockets are served in between. */
  readonly #look = (): void => {
    const clockMs = this.#clock.nowMs();
    this.#letArrive(clockMs);
    const { step } = this.#core;
    if (step !== null && this.#clockMs(step.endMs) <= clockMs) this.#endStep(step, clockMs);
    this.#wait();
  };

  /** A request that arrives at the moment a step ends finds the next one begun. */
  #letArrive(clockMs: number): void {
    for (;;) {
      const [request] = this.#arriving;
      if (request === undefined || this.#clockMs(request.arrivalMs) > clockMs) return;
      if (request.arrivalMs >= (this.#core.step?.endMs ?? Infinity)) return;
      this.#arriving.shift();
      this.#core.submit(request);
      if (this.#core.step === null) this.#core.beginStep(request.arrivalMs);
    }
  }

  #endStep(step: Step, clockMs: number): void {
    this.#worstLagMs = Math.max(this.#worstLagMs, clockMs - this.#clockMs(step.endMs));
    const emissions = this.#core.endStep();
    if (emissions.length > 0) this.#emit(emissions, step);
    this.#core.beginStep(step.endMs);
  }
}
