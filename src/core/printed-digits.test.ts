import fc from 'fast-check';
import { expect, test } from 'vitest';
import { halfUlp } from './printed-digits.ts';

test('a number is never farther from its printed digits than they say, and digits say no more than they must', () => {
  const number = fc.double({ min: -1e6, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(number, fc.nat(8), (value, decimals) => {
      expect(Math.abs(Number(value.toFixed(decimals)) - value)).toBeLessThanOrEqual(
        halfUlp(value.toFixed(decimals)) * (1 + 1e-6),
      );
      expect(halfUlp(value.toFixed(decimals))).toBe(0.5 * 10 ** -decimals);
    }),
  );
  expect(['12', '1.5', '1.50', '1.5e3', '2E+2'].map(halfUlp)).toEqual([0.5, 0.05, 0.005, 50, 50]);
  expect(halfUlp('1.5e-3')).toBeCloseTo(0.00005, 15);
});
