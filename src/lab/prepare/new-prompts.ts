import { randomInt } from 'node:crypto';
import type { PlanSettings } from './assemble-plan.ts';

/**
 * Made prompts are new in every run: a server that keeps a prefix cache would answer the same ones from it, and a command that is
 * repeated would measure that. Asked otherwise (`--same-prompts`, or a seed that was typed) they are the same again.
 */
export function withNewPrompts(words: PlanSettings): PlanSettings {
  const asked = words.promptSeed !== undefined || words.seed !== undefined || words.samePrompts === true;
  return asked ? words : { ...words, promptSeed: randomInt(1, 2 ** 31) };
}
