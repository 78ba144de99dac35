import { afterHeader, dueHeader, isSimulatedEngine, sentHeader } from '../core/index.ts';
import type { RunPlan } from '../core/index.ts';
import type { Dealt } from './phase-parts.ts';
import { withHeaders } from './request-text.ts';
import { monotonicMs } from './run-clock.ts';
import type { RunClock } from './run-clock.ts';

/** Tells a simulated engine of the moments that its client knows; null = the server is another, and is told nothing. */
export function tellerOf({ target, load }: Pick<RunPlan, 'target' | 'load'>, clock: RunClock): Teller | null {
  return isSimulatedEngine(target.server ?? '') ? new Teller(load.kind === 'closed', clock) : null;
}

/** Writes into requests when they were sent and why just then: because they were due, or because an answer had been heard. */
export class Teller {
  readonly #closed: boolean;
  readonly #clock: RunClock;
  /** When answers ended whose places in a closed loop nobody has taken yet. */
  readonly #heardMs: number[] = [];

  constructor(closed: boolean, clock: RunClock) {
    this.#closed = closed;
    this.#clock = clock;
  }

  /** An answer has been heard to its end. */
  heard(): void {
    if (this.#closed) this.#heardMs.push(this.#clock.nowMs());
  }

  /** The request with what is told of it; `dealt` is null where it is made again, and so was due long ago. */
  told(request: string, dealt: Pick<Dealt, 'dueMs' | 'held' | 'turn'> | null, sentMs: number): string {
    return withHeaders(request, [[sentHeader, this.#written(sentMs)], ...this.#why(dealt)]);
  }

  /** A place that was never taken before is due when the loop begins. A turn of a conversation in a closed loop has a time of its own. */
  #why(dealt: Pick<Dealt, 'dueMs' | 'held' | 'turn'> | null): [string, string][] {
    if (dealt === null) return [];
    const heardMs = this.#heardMs.shift();
    if (dealt.held === true || (this.#closed && dealt.turn !== null)) return [];
    return [heardMs === undefined ? [dueHeader, this.#written(dealt.dueMs)] : [afterHeader, this.#written(heardMs)]];
  }

  #written(atMs: number): string {
    return monotonicMs(this.#clock, atMs).toFixed(6);
  }
}
