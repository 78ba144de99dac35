import type { IncomingHttpHeaders } from 'node:http';
import { afterHeader, dueHeader, sentHeader } from '../core/index.ts';
import type { ToldTimes } from '../sim/index.ts';
import type { StepPacer } from './step-pacer.ts';

/** Longer ago than this, wall clock, no client of this host has sent or meant to send what is read now. */
export const believedMs = 100;

/**
 * When and why a request was sent, by what its client tells (core's headers), in simulated time. A client on the same host reads the same clock;
 * another's says nothing here. What is later than now or longer ago than a host takes to bring a request is not believed; null = nothing is.
 */
export function toldTimes(
  headers: IncomingHttpHeaders,
  readMs: number,
  pacer: Pick<StepPacer, 'simulatedMs' | 'answeredMs'>,
): ToldTimes | null {
  const recent = (name: string): number => {
    const told = headers[name];
    const toldMs = typeof told === 'string' ? Number(told) : NaN;
    const atMs = pacer.simulatedMs(toldMs);
    return atMs <= readMs && readMs <= pacer.simulatedMs(toldMs + believedMs) ? atMs : NaN;
  };
  const sentMs = recent(sentHeader);
  if (Number.isNaN(sentMs)) return null;
  const dueMs = recent(dueHeader);
  if (dueMs <= sentMs) return { sentMs, dueMs };
  const heardMs = recent(afterHeader);
  const answeredMs = heardMs <= sentMs ? pacer.answeredMs(heardMs) : null;
  return answeredMs === null ? { sentMs } : { sentMs, answeredMs };
}
