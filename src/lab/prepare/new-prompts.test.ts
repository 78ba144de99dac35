import { expect, test } from 'vitest';
import type { PlanSettings } from './assemble-plan.ts';
import { withNewPrompts } from './new-prompts.ts';

const settings = (changes: Partial<PlanSettings> = {}): PlanSettings => ({ ...changes });
const seedOf = (changes: Partial<PlanSettings>): unknown => withNewPrompts(settings(changes)).promptSeed;

test('prompts are new in every run, unless a seed was typed or the same ones are asked for', () => {
  expect(new Set(Array.from({ length: 20 }, () => seedOf({}))).size).toBeGreaterThan(18);
  expect(seedOf({ seed: 1 })).toBeUndefined();
  expect(seedOf({ samePrompts: true })).toBeUndefined();
  expect(seedOf({ promptSeed: 5 })).toBe(5);
});
