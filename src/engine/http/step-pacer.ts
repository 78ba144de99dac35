import type { Emission, EngineCore, EngineRequest, Step } from '../sim/index.ts';
import { WayIn } from '../sim/index.ts';
import { performance } from 'node:perf_hooks';

/** What a pacer goes by. */
export interface PacerClock {
  /** Monotonic. */
  nowMs(): number;
  /** Calls back at that time, a little earlier or later; what it returns takes that back. */
  wake(atMs: number, act: () => void): () => void;
}

/** Timers fire a millisecond or more late, so the last stretch is waited out in turns of the event loop, which serve the sockets. */
const spinMs = 1.5;

const wallClock: PacerClock = {
  nowMs: () => performance.now(),
  wake(atMs, act) {
    const leftMs = atMs - performance.now();
    if (leftMs > spinMs + 1) {
      const timer = setTimeout(act, Math.floor(leftMs - spinMs));
      return () => clearTimeout(timer);
    }
    const immediate = setImmediate(act);
    return () => clearImmediate(immediate);
  },
};

/** Gets the tokens of a step as soon as it has ended. */
export type Emit = (emissions: readonly Emission[], step: Step) => void;

/** The tokens of a step on their way to the clients, and the time at which they reach the next stage. */
interface Outgoing {
  atMs: number;
  emissions: Emission[];
  step: Step;
}

/**
 * Drives an engine core by a clock. Whatever is due happens in the order of its times, as in virtual time: a step ends, the next
 * one begins at once, and a request joins the first step that begins after its arrival. So a host that wakes late delays tokens but
 * changes no step.
 */
export class StepPacer {
  readonly #originMs: number;
  readonly #wayIn: WayIn;
  /** Made by a step that has ended, not out of the engine yet; null = nothing is. */
  #untold: Outgoing | null = null;
  /** Out of the engine, in its front; in order. */
  readonly #leaving: Outgoing[] = [];
  #unset: (() => void) | null = null;
  #worstLagMs = 0;

  /** speed 10 = ten simulated seconds per second. */
  constructor(
    private readonly core: EngineCore,
    private readonly speed: number,
    private readonly emit: Emit,
    private readonly clock: PacerClock = wallClock,
  ) {
    this.#wayIn = new WayIn(core.front, 0);
    this.#originMs = clock.nowMs();
  }

  /** Simulated time. */
  nowMs(): number {
    return (this.clock.nowMs() - this.#originMs) * this.speed;
  }

  /** The most that a step's tokens came out after its end, on the clock. */
  get worstLagMs(): number {
    return this.#worstLagMs;
  }

  /** Puts a request before the engine at its arrivalMs, simulated time. */
  submit(request: EngineRequest): void {
    this.#wayIn.send(request);
    this.#wait();
  }

  /** Takes a request out, arrived or not. */
  cancel(id: number): void {
    if (!this.core.cancel(id)) this.#wayIn.cancel(id);
  }

  stop(): void {
    this.#unset?.();
    this.#unset = null;
  }

  /** A moment of simulated time on the clock. */
  #clockMs(atMs: number): number {
    return this.#originMs + atMs / this.speed;
  }

  #wait(): void {
    this.stop();
    const dueMs = Math.min(this.core.step?.endMs ?? Infinity, this.#betweenMs());
    if (dueMs < Infinity) this.#unset = this.clock.wake(this.#clockMs(dueMs), this.#look);
  }

  /** When something happens next between engine and clients. */
  #betweenMs(): number {
    return Math.min(this.#wayIn.nextMs(), this.#untold?.atMs ?? Infinity, this.#leaving[0]?.atMs ?? Infinity);
  }

  /** One step at a time: where the host cannot keep up, sockets are served in between. */
  readonly #look = (): void => {
    const clockMs = this.clock.nowMs();
    this.#lookBetween(clockMs);
    const { step } = this.core;
    if (step !== null && this.#clockMs(step.endMs) <= clockMs) this.#endStep(step, clockMs);
    this.#wait();
  };

  /** Does what is due before the running step ends. A request that arrives exactly when it ends misses the next step, which has begun. */
  #lookBetween(clockMs: number): void {
    for (;;) {
      const dueMs = this.#betweenMs();
      if (dueMs === Infinity || this.#clockMs(dueMs) > clockMs) return;
      if (this.#untold !== null && this.#untold.atMs <= dueMs) this.#tell(this.#untold, clockMs);
      else if ((this.#leaving[0]?.atMs ?? Infinity) <= dueMs) this.#hand(this.#leaving.shift()!, clockMs);
      else if (dueMs >= (this.core.step?.endMs ?? Infinity)) return;
      else this.#letIn();
    }
  }

  #letIn(): void {
    const entering = this.#wayIn.happen();
    if (entering === null) return;
    const { request, atMs } = entering;
    this.core.submit({ ...request, arrivalMs: atMs });
    if (this.core.step === null) this.core.beginStep(atMs);
  }

  #endStep(step: Step, clockMs: number): void {
    const emissions = this.core.endStep();
    const plain = this.core.isPlain;
    if (plain) this.#hand({ atMs: step.endMs, emissions, step }, clockMs);
    this.core.beginStep(step.endMs);
    if (!plain) this.#untold = { atMs: this.core.outMs(step.endMs), emissions, step };
    if (this.#untold !== null && this.#untold.atMs <= step.endMs) this.#tell(this.#untold, clockMs);
  }

  /** The tokens of a step leave the engine. */
  #tell(outgoing: Outgoing, clockMs: number): void {
    this.#untold = null;
    const atMs = this.core.passOn();
    const told = { ...outgoing, atMs, step: { ...outgoing.step, endMs: atMs } };
    if (this.core.front === null) this.#hand(told, clockMs);
    else this.#leaving.push(told);
  }

  #hand({ atMs, emissions, step }: Outgoing, clockMs: number): void {
    this.#worstLagMs = Math.max(this.#worstLagMs, clockMs - this.#clockMs(atMs));
    if (emissions.length > 0) this.emit(emissions, step);
  }
}
