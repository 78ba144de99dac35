import type { LoadShape } from '../../core/index.ts';
import { invariant } from '../../core/index.ts';
import type { Pacer, PacerLimits } from './pacer.ts';
import { dueUnder } from './rate-shape.ts';

/**
 * An open loop over a schedule: hands out the due times of `nextDueMs`, which must not go back, until a limit is met.
 * It looks neither at the clock nor at what is in flight: a late caller gets the times it missed, one by one,
 * and a cap on requests in flight is the runner's business.
 */
export function scheduledPacer(nextDueMs: () => number, limits: PacerLimits): Pacer {
  const requests = limits.requests ?? Infinity;
  const durationMs = limits.durationMs ?? Infinity;
  let handedOut = 0;
  let over = false;
  return {
    next() {
      if (over || handedOut >= requests) return 'done';
      const atMs = nextDueMs();
      over = atMs >= durationMs;
      if (over) return 'done';
      handedOut += 1;
      return { atMs };
    },
  };
}

/**
 * An open loop over a process of mean gap 1: `nextUnits` gives its times, which are stretched to the load's rate,
 * or bent to follow its shape.
 */
export function openPacer(load: LoadShape, limits: PacerLimits, nextUnits: () => number): Pacer {
  const gapMs = meanGapMs(load);
  if (load.shape === undefined) return scheduledPacer(() => nextUnits() * gapMs, limits);
  const dueMs = dueUnder(load.shape);
  return scheduledPacer(() => dueMs(nextUnits()), limits);
}

/** Mean time between two asks of an open loop. */
function meanGapMs(load: LoadShape): number {
  const { ratePerSec } = load;
  invariant(load.kind === 'open', 'a schedule is given an open load');
  invariant(
    ratePerSec !== null && Number.isFinite(ratePerSec) && ratePerSec > 0,
    'an open loop has a finite rate above 0',
  );
  return 1000 / ratePerSec;
}
