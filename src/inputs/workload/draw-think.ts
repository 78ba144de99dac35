import { randomStream } from '../../core/index.ts';
import type { ThinkLaw } from '../../core/index.ts';

/** How long the user of a conversation thinks before turn `turn`, ms; depends on seed, conversation and turn alone. */
export function thinkDrawer(law: ThinkLaw, seed: number, session: string): (turn: number) => number {
  return (turn) => {
    if (law.law === 'fixed') return law.ms;
    const chance = randomStream(seed, `think ${session} ${turn}`).next();
    return law.law === 'uniform' ? law.minMs + chance * (law.maxMs - law.minMs) : -Math.log1p(-chance) * law.meanMs;
  };
}
