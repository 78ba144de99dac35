import type { PacerMaker } from './pacer.ts';
import { openPacer } from './scheduled-pacer.ts';

/** Open loop at even gaps, the first ask at 0. */
export const constantPacer: PacerMaker = (load, limits) => {
  let index = 0;
  // A product, not a running sum: gaps such as 1000/3 ms would drift.
  return openPacer(load, limits, () => index++);
};
