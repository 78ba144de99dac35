import { hairMs } from './arrival-round.ts';
import { mostLateMs } from './step-pacer.ts';
import type { StepPacer } from './step-pacer.ts';

/**
 * When requests were due, by what their clients tell (core's dueHeader). A client on the same host reads the same clock; another's says
 * nothing here. Who was due later than now or longer ago than a host takes to bring a request arrived when it was read.
 */
export class ToldDue {
  readonly #pacer: Pick<StepPacer, 'simulatedMs'>;
  #lastMs = -Infinity;
  #atOnce = 0;

  constructor(pacer: Pick<StepPacer, 'simulatedMs'>) {
    this.#pacer = pacer;
  }

  /** Simulated time, of those due at one moment each a hair after the other; null = not told, or not to be believed. */
  dueMs(told: string | string[] | undefined, readMs: number): number | null {
    if (typeof told !== 'string') return null;
    const toldMs = Number(told);
    const dueMs = this.#pacer.simulatedMs(toldMs);
    const isNear = dueMs <= readMs && readMs <= this.#pacer.simulatedMs(toldMs + mostLateMs);
    if (!isNear) return null;
    this.#atOnce = dueMs === this.#lastMs ? this.#atOnce + 1 : 0;
    this.#lastMs = dueMs;
    return dueMs + hairMs * this.#atOnce;
  }
}
