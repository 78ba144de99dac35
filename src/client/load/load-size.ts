import type { RunPlan } from '../../core/index.ts';

/** How much a load asks of the client itself. From `large` on, code that is not compiled for speed is late by more than a timer is. */
export type LoadSize = 'small' | 'large';

/** Streams, or requests a second. */
const large = 100;

export function loadSize({ load }: RunPlan): LoadSize {
  const size = Math.max(load.concurrency ?? 0, load.ratePerSec ?? 0);
  return size < large ? 'small' : 'large';
}
