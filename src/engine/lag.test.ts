import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Lag } from './lag.ts';

/** How much later each token of an answer leaves whose steps take stepMs. */
const lags = (lateMs: number, outputTokens: number, stepMs: number): number[] => {
  const lag = new Lag(lateMs, outputTokens);
  return Array.from({ length: outputTokens }, (_, token) => lag.ms(token, 1000 + token * stepMs));
};

it('the first token leaves as late as its request was sent, and so earlier where that was early', () => {
  for (const lateMs of [-0.9, 0, 0.2, 40]) expect(lags(lateMs, 5, 20)[0]).toBe(lateMs);
});

it('no other token leaves before its time, and the later they are, the less they lag', () => {
  const answers = fc.tuple(fc.integer({ min: -900, max: 60_000 }), fc.integer({ min: 2, max: 300 }));
  fc.assert(
    fc.property(answers, fc.integer({ min: 1, max: 300 }), ([lateUs, outputTokens], stepMs) => {
      const [firstMs, ...others] = lags(lateUs / 1000, outputTokens, stepMs);
      if (lateUs <= 0) expect(others.every((ms) => ms === 0)).toBe(true);
      else for (const [i, ms] of others.entries()) expect(ms === 0 || ms < [firstMs!, ...others][i]!).toBe(true);
      expect(Math.min(...others)).toBeGreaterThanOrEqual(0);
    }),
  );
});

it('who asks again after each answer is late by less and less, however late it was once', () => {
  let lateMs = 30;
  for (let answer = 0; answer < 30; answer++) lateMs = lags(lateMs, 2, 1).at(-1)!;
  expect(lateMs).toBeLessThan(0.01);
});

it('the pace of an answer hardly changes: by less than a hundredth where it takes a second and its request was 10 ms late', () => {
  // 60 tokens in 60 steps of 20 ms, 10 ms late.
  const told = lags(10, 60, 20);
  const pace = (59 * 20 + told.at(-1)! - told[0]!) / 59;
  expect(Math.abs(pace / 20 - 1)).toBeLessThan(0.01);
});
