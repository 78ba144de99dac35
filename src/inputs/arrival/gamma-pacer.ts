import { invariant, randomStream } from '../../core/index.ts';
import type { PacerMaker } from './pacer.ts';
import { openPacer } from './scheduled-pacer.ts';
import type { RandomStream } from '../../core/index.ts';

/** Open loop with gamma gaps (vLLM's burstiness is the shape); the first ask comes after the first gap. */
export const gammaPacer: PacerMaker = (load, limits, seed) => {
  invariant(load.arrival.process === 'gamma' && load.arrival.shape > 0, 'a gamma process has a shape above 0');
  const { shape } = load.arrival;
  const chance = randomStream(seed, 'arrival');
  let elapsedGaps = 0;
  return openPacer(load, limits, () => (elapsedGaps += gammaDraw(shape, chance)));
};

/**
 * A gamma draw with this shape and mean 1 (Marsaglia and Tsang, "A simple method for generating gamma variables", 2000;
 * a shape below 1 by their boost U^(1/shape)).
 */
function gammaDraw(shape: number, chance: RandomStream): number {
  if (shape < 1) {
    const boosted = gammaDraw(shape + 1, chance) * (shape + 1);
    return (boosted * chance.next() ** (1 / shape)) / shape;
  }
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = chance.normal();
    const v = (1 + c * x) ** 3;
    if (v <= 0) continue;
    if (Math.log(chance.next()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return (d * v) / shape;
  }
}
