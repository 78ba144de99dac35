import { invariant, randomStream } from '../../core/index.ts';
import { gammaDraw } from './gamma-draw.ts';
import type { PacerMaker } from './pacer.ts';
import { openPacer } from './scheduled-pacer.ts';

/** Open loop with gamma gaps (vLLM's burstiness is the shape); the first ask comes after the first gap. */
export const gammaPacer: PacerMaker = (load, limits, seed) => {
  invariant(load.arrival.process === 'gamma' && load.arrival.shape > 0, 'a gamma process has a shape above 0');
  const { shape } = load.arrival;
  const chance = randomStream(seed, 'arrival');
  let elapsedGaps = 0;
  return openPacer(load, limits, () => (elapsedGaps += gammaDraw(shape, chance)));
};
