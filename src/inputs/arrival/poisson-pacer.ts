import { randomStream } from '../../core/index.ts';
import type { PacerMaker } from './pacer.ts';
import { openPacer } from './scheduled-pacer.ts';

/** Open loop with independent exponential gaps (a Poisson process); the first ask comes after the first gap. */
export const poissonPacer: PacerMaker = (load, limits, seed) => {
  const chance = randomStream(seed, 'arrival');
  // Summed in mean gaps, so that the same seed at another rate is the same pattern, stretched.
  let elapsedGaps = 0;
  return openPacer(load, limits, () => (elapsedGaps += chance.exponential()));
};
