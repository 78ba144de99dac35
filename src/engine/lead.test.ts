import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Lead } from './lead.ts';

const afterAll = (took: readonly number[]): number => {
  const lead = new Lead();
  for (const ms of took) lead.took(ms, 1);
  return lead.ms;
};
const times = (ms: number): number[] => Array.from({ length: 100 }, () => ms);

it('is what writing takes beyond what it usually takes, within a step of its going', () => {
  const shares = [0.1, 0.15, 0.2];
  for (const ms of shares) expect(afterAll(times(ms + 0.1)) - afterAll(times(ms))).toBeCloseTo(0.1, 2);
  expect(afterAll(times(0))).toBe(0);
});

it('knows how long it takes to write several one after the other, and keeps that apart from what one takes', () => {
  const lead = new Lead();
  for (const ms of times(0.2)) lead.took(5 * ms, 5);
  expect(lead.takesMs(0)).toBe(0);
  expect(lead.takesMs(10)).toBeCloseTo(10 * 0.2, 1);
  expect(lead.ms).toBe(0);
});

it('is not moved by a few that took much longer', () => {
  const noisy = times(0.2).map((ms, i) => (i % 3 === 0 ? 50 : ms));
  expect(Math.abs(afterAll(noisy) - afterAll(times(0.2)))).toBeLessThan(0.03);
});

it('is never negative and never more than a quarter of a millisecond', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 200 }), (tookUs) => {
      const ms = afterAll(tookUs.map((us) => us / 1000));
      expect(ms).toBeGreaterThanOrEqual(0);
      expect(ms).toBeLessThanOrEqual(0.25);
    }),
  );
});
