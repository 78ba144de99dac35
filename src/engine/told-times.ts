import type { IncomingHttpHeaders } from 'node:http';
import { afterHeader, dueHeader, sentHeader } from '../core/index.ts';
import type { ToldTimes } from '../sim/index.ts';

/** Longer ago than this, wall clock, no client of this host has sent or meant to send what is read now: hundreds that ask at once take a while to be read. */
export const believedMs = 100;

/** What an engine knows itself: its clock, and its answers. */
export interface Known {
  /** The simulated time at a moment of CLOCK_MONOTONIC. */
  simulatedMs(atMs: number): number;
  /** When the step ended that finished the answer to the request of this name, simulated time; null = nobody knows any more. */
  answeredMs(name: string): number | null;
}

/**
 * When and why a request was sent, by what its client tells (core's headers), in simulated time. A client on the same host reads the same clock;
 * another's says nothing here. What is later than now or longer ago than a host takes to bring a request is not believed; null = nothing is.
 */
export function toldTimes(headers: IncomingHttpHeaders, readMs: number, known: Known): ToldTimes | null {
  const mostMs = known.simulatedMs(believedMs) - known.simulatedMs(0);
  const believed = (atMs: number, untilMs: number): boolean => atMs <= untilMs && readMs - atMs <= mostMs;
  const told = (name: string): number => {
    const value = headers[name];
    return known.simulatedMs(typeof value === 'string' ? Number(value) : NaN);
  };
  const sentMs = told(sentHeader);
  if (!believed(sentMs, readMs)) return null;
  const dueMs = told(dueHeader);
  if (believed(dueMs, sentMs)) return { sentMs, dueMs };
  const after = headers[afterHeader];
  const answeredMs = typeof after === 'string' ? (known.answeredMs(after) ?? NaN) : NaN;
  return believed(answeredMs, sentMs) ? { sentMs, answeredMs } : { sentMs };
}
