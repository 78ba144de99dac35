import type { Arrival, LoadShape } from '../../core/index.ts';
import { closedPacer } from './closed-pacer.ts';
import { constantPacer } from './constant-pacer.ts';
import { gammaPacer } from './gamma-pacer.ts';
import type { LoadPart, Pacer, PacerLimits, PacerMaker } from './pacer.ts';
import { poissonPacer } from './poisson-pacer.ts';
import { tracePacer } from './trace-pacer.ts';
import { uniformPacer } from './uniform-pacer.ts';

/** Every arrival process, by its word in the plan. */
export const pacers = {
  closed: closedPacer,
  constant: constantPacer,
  poisson: poissonPacer,
  gamma: gammaPacer,
  uniform: uniformPacer,
  trace: tracePacer,
} as const satisfies Record<Arrival['process'], PacerMaker>;

/** The pacer for a load shape; the plan has been checked before, so a shape that does not fit is a bug of ours. */
export function makePacer(load: LoadShape, limits: PacerLimits, seed: number, part?: () => LoadPart): Pacer {
  return pacers[load.arrival.process](load, limits, seed, part);
}
