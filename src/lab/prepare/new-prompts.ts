import { randomInt } from 'node:crypto';
import type { PlanSettings } from './assemble-plan.ts';

/**
 * Made prompts are new in every run: a server that keeps a prefix cache would answer the same ones from it, and a command that is
 * repeated would measure that. Asked otherwise (`--same-prompts`, or a seed that was typed) they are the same again.
 */
export function withNewPrompts(settings: PlanSettings): PlanSettings {
  const asked = settings.promptSeed !== undefined || settings.seed !== undefined || settings.samePrompts === true;
  return asked ? settings : { ...settings, promptSeed: randomInt(1, 2 ** 31) };
}
