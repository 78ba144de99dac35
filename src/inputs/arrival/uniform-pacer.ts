import { randomStream } from '../../core/index.ts';
import type { PacerMaker } from './pacer.ts';
import { openPacer } from './scheduled-pacer.ts';

/** Open loop with gaps uniform between 0 and twice the mean; the first ask comes after the first gap. */
export const uniformPacer: PacerMaker = (load, limits, seed) => {
  const chance = randomStream(seed, 'arrival');
  let elapsedGaps = 0;
  return openPacer(load, limits, () => (elapsedGaps += 2 * chance.next()));
};
