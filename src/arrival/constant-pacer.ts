import type { PacerMaker } from './pacer.ts';
import { meanGapMs, scheduledPacer } from './scheduled-pacer.ts';

/** Open loop at even gaps, the first ask at 0. */
export const constantPacer: PacerMaker = (load, limits) => {
  const gapMs = meanGapMs(load);
  let index = 0;
  // A product, not a running sum: gaps such as 1000/3 ms would drift.
  return scheduledPacer(() => index++ * gapMs, limits);
};
