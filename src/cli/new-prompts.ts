import { randomInt } from 'node:crypto';
import type { RunPlan } from '../core/index.ts';
import type { PlanWords } from '../run/index.ts';
import type { Given } from './command.ts';

/**
 * Made prompts are new in every run: a server that keeps a prefix cache would answer the same ones from it, and a command that is
 * repeated would measure that. Asked otherwise (`--same-prompts`, or a seed that was typed) they are the same again.
 */
export function withNewPrompts(words: PlanWords): PlanWords {
  const asked = words.promptSeed !== undefined || words.seed !== undefined || words.samePrompts === true;
  return asked ? words : { ...words, promptSeed: randomInt(1, 2 ** 31) };
}

/** Who goes on with a run asks on as it began: with the prompts of its plan. */
export function promptsOf(given: Given, plan: RunPlan | null): Given {
  const seed = plan?.dataset.settings?.['seed'];
  if (typeof seed !== 'number' || given.flags.has('prompt-seed')) return given;
  return { ...given, flags: new Map(given.flags).set('prompt-seed', [String(seed)]) };
}
