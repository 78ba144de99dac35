import type { TrialLoad } from './setting.ts';
import type { Trial } from './trial.ts';

/** How long a trial has to be. */
export interface TrialSize {
  requests: number;
}

/** Residence times that a run spans: one to fill the engine, one to drain it, the rest steady. */
export const residences = 6;
export const fewest = { closed: 60, open: 60 } as const;
const most = 20_000;
const guessMs = 10_000;

/**
 * Requests of a trial, so that its steady window spans several residence times whatever the load: a fixed small count never
 * reaches a steady state at high concurrency.
 */
export function trialSize(
  load: TrialLoad,
  trials: readonly Pick<Trial, 'figures'>[],
  leastRequests: number | null,
): TrialSize {
  const latencyMs =
    trials.findLast(({ figures }) => figures['latency.mean'] != null)?.figures['latency.mean'] ?? guessMs;
  const needed =
    load.ratePerSec === null
      ? Math.max(fewest.closed, residences * (load.concurrency ?? 1))
      : Math.max(fewest.open, (residences * latencyMs * load.ratePerSec) / 1000);
  return { requests: Math.min(most, Math.ceil(Math.max(needed, leastRequests ?? 0))) };
}
