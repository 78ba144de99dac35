import { invariant } from '../../core/index.ts';
import type { PacerMaker } from './pacer.ts';
import { scheduledPacer } from './scheduled-pacer.ts';

/** The due times of a recorded trace, at its own speed or a multiple of it; over when the trace is. */
export const tracePacer: PacerMaker = (load, limits) => {
  invariant(load.arrival.process === 'trace' && load.arrival.speed > 0, 'a trace is replayed at a speed above 0');
  const { gapsMs, speed } = load.arrival;
  const requests = Math.min(limits.requests ?? Infinity, gapsMs.length);
  let [at, elapsedMs] = [0, 0];
  return scheduledPacer(() => (elapsedMs += gapsMs[at++]!) / speed, { ...limits, requests });
};
