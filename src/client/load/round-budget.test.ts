import { expect, test } from 'vitest';
import { RoundBudget } from './round-budget.ts';

test('work of one round, in however many pieces, ends when its time is used up, and begins anew in the next', async () => {
  let nowMs = 0;
  const budget = new RoundBudget({ nowMs: () => nowMs }, 0.5);
  expect(budget.begin()).toBe(0.5);
  nowMs = 0.3;
  budget.end(0);
  expect(budget.spent).toBe(false);
  nowMs = 1;
  // What is left of it counts, not when it began.
  expect(budget.begin()).toBeCloseTo(1.2);
  nowMs = 1.3;
  budget.end(1);
  expect(budget.spent).toBe(true);
  await new Promise((resolve) => setImmediate(resolve));
  expect(budget.spent).toBe(false);
});
