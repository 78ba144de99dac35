import type { PacerLimits } from '../arrival/index.ts';
import type { Dealing } from './dealer.ts';
import { DealtTalks } from './dealt-talks.ts';
import type { PhaseParts } from './phase-parts.ts';
import type { PromptLine } from './prompt-line.ts';
import { Talks } from './talks.ts';

/** The conversations of a phase: this process's own, or those that one of several machines is dealt. */
export function makeTalks(
  { plan, share }: PhaseParts,
  phase: { limits: PacerLimits; seed: number; dealing: Dealing; prompts: PromptLine },
): Talks | DealtTalks {
  const { limits, seed, dealing, prompts } = phase;
  const about = { load: plan.load, limits, prompts };
  return dealing.talks === undefined
    ? new Talks({ ...about, seed, share })
    : new DealtTalks({ ...about, dealer: dealing.dealer, source: dealing.talks });
}
