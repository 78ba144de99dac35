import { expect, it } from 'vitest';
import { AnsweredSteps } from './answered-steps.ts';

it('knows which step finished the answer to whom, and nothing of anybody else', () => {
  const answered = new AnsweredSteps();
  answered.remember('a.1', 20);
  answered.remember('a.2', 40);
  expect(answered.answeredMs('a.1')).toBe(20);
  expect(answered.answeredMs('a.2')).toBe(40);
  for (const name of ['a.3', '', '__proto__', 'constructor']) expect(answered.answeredMs(name)).toBeNull();
  answered.remember('a.1', 60);
  expect(answered.answeredMs('a.1')).toBe(60);
});

it('does not grow without end, whatever names it is given', () => {
  const answered = new AnsweredSteps();
  const many = 10_000;
  for (let i = 0; i < many; i++) answered.remember(`a.${i}`, i);
  const known = Array.from({ length: many }, (_, i) => answered.answeredMs(`a.${i}`)).filter((ms) => ms !== null);
  expect(known).toHaveLength(4096);
  expect(Math.min(...known)).toBe(many - 4096);
  const long = 'x'.repeat(1000);
  answered.remember(long, 1);
  expect(answered.answeredMs(long)).toBeNull();
});
