import type { IncomingHttpHeaders } from 'node:http';
import { dueHeader, sentHeader } from '../core/index.ts';
import type { ToldTimes } from '../sim/index.ts';
import { hairMs } from './arrival-round.ts';
import { mostLateMs } from './step-pacer.ts';
import type { StepPacer } from './step-pacer.ts';

/**
 * When requests were sent and due, by what their clients tell (core's headers), in simulated time. A client on the same host reads the same clock; another's
 * says nothing here. What is later than now or longer ago than a host takes to bring a request is not believed.
 */
export class ToldMoments {
  readonly #pacer: Pick<StepPacer, 'simulatedMs'>;
  #lastMs = -Infinity;
  #atOnce = 0;

  constructor(pacer: Pick<StepPacer, 'simulatedMs'>) {
    this.#pacer = pacer;
  }

  /** Those due at one moment come each a hair after the other; null = not told, or not to be believed. */
  of(headers: IncomingHttpHeaders, readMs: number): ToldTimes | null {
    const sentMs = this.#believed(headers[sentHeader], readMs);
    if (sentMs === null) return null;
    const dueMs = this.#believed(headers[dueHeader], readMs);
    if (dueMs === null || dueMs > sentMs) return { sentMs, dueMs: null };
    this.#atOnce = dueMs === this.#lastMs ? this.#atOnce + 1 : 0;
    this.#lastMs = dueMs;
    return { sentMs, dueMs: dueMs + hairMs * this.#atOnce };
  }

  #believed(told: string | string[] | undefined, readMs: number): number | null {
    if (typeof told !== 'string') return null;
    const toldMs = Number(told);
    const atMs = this.#pacer.simulatedMs(toldMs);
    return atMs <= readMs && readMs <= this.#pacer.simulatedMs(toldMs + mostLateMs) ? atMs : null;
  }
}
