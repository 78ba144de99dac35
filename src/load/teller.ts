import { randomUUID } from 'node:crypto';
import { afterHeader, dueHeader, isSimulatedEngine, nameHeader, sentHeader } from '../core/index.ts';
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
  /** An engine may have several clients, each of which counts from 0. */
  readonly #client = randomUUID().slice(0, 8);
  /** Requests whose answers have ended and whose places in a closed loop nobody has taken yet. */
  readonly #heard: number[] = [];

  constructor(closed: boolean, clock: RunClock) {
    this.#closed = closed;
    this.#clock = clock;
  }

  /** The answer to request number `seq` has been heard to its end. */
  heard(seq: number): void {
    if (this.#closed) this.#heard.push(seq);
  }

  /** Request number `seq` with what is told of it; `dealt` is null where it is made again, and so was due long ago. */
  told(request: string, seq: number, dealt: Pick<Dealt, 'dueMs' | 'held' | 'turn'> | null, sentMs: number): string {
    const name: [string, string][] = this.#closed ? [[nameHeader, this.#nameOf(seq)]] : [];
    return withHeaders(request, [[sentHeader, this.#written(sentMs)], ...name, ...this.#why(dealt)]);
  }

  /** A place that was never taken before is due when the loop begins. A turn of a conversation in a closed loop has a time of its own. */
  #why(dealt: Pick<Dealt, 'dueMs' | 'held' | 'turn'> | null): [string, string][] {
    if (dealt === null) return [];
    const answered = this.#heard.shift();
    if (dealt.held === true || (this.#closed && dealt.turn !== null)) return [];
    return [answered === undefined ? [dueHeader, this.#written(dealt.dueMs)] : [afterHeader, this.#nameOf(answered)]];
  }

  #nameOf(seq: number): string {
    return `${this.#client}.${seq}`;
  }

  #written(atMs: number): string {
    return monotonicMs(this.#clock, atMs).toFixed(6);
  }
}
