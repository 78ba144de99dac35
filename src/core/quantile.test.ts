import fc from 'fast-check';
import { expect, test } from 'vitest';
import { distributionOf, quantile, speedDistributionOf } from './quantile.ts';
import { percentileRanks, slowRanks } from './summary.ts';

const values = fc.array(fc.double({ min: -1e9, max: 1e9, noNaN: true }), { minLength: 1, maxLength: 40 });

test('a quantile lies between its neighbours, as far along as its share of n − 1 says', () => {
  fc.assert(
    fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (drawn, q) => {
      const ascending = drawn.toSorted((a, b) => a - b);
      const at = q * (ascending.length - 1);
      const [low, high] = [ascending[Math.floor(at)]!, ascending[Math.ceil(at)]!];
      const found = quantile(ascending, q)!;
      expect(found).toBeGreaterThanOrEqual(low);
      expect(found).toBeLessThanOrEqual(high);
      expect(found).toBeCloseTo(low * (1 - (at % 1)) + high * (at % 1), 4);
    }),
  );
  // numpy.quantile([1, 2, 4, 8], [0, .5, .9, 1])
  expect([0, 0.5, 0.9, 1].map((q) => quantile([1, 2, 4, 8], q))).toEqual([1, 3, 6.800000000000001, 8]);
  expect(quantile([], 0.5)).toBeNull();
  // Not "infinite less infinite".
  expect(quantile([Infinity, Infinity], 0.5)).toBe(Infinity);
});

test('a distribution says mean, ends, count and each rank of its sample, in whatever order it came', () => {
  fc.assert(
    fc.property(values, (drawn) => {
      const ascending = drawn.toSorted((a, b) => a - b);
      const told = distributionOf(drawn)!;
      expect([told.min, told.max, told.n]).toEqual([ascending[0], ascending.at(-1), drawn.length]);
      expect(told.mean).toBeCloseTo(drawn.reduce((sum, value) => sum + value, 0) / drawn.length, 4);
      for (const rank of percentileRanks) expect(told[`p${rank}`]).toBe(quantile(ascending, rank / 100));
      const speed = speedDistributionOf(drawn)!;
      expect(speed).toMatchObject(told);
      for (const rank of slowRanks) expect(speed[`p${rank}`]).toBe(quantile(ascending, rank / 100));
    }),
  );
  // By these names conditions, files and other programs ask for them.
  const ranks = Object.keys(speedDistributionOf([1])!).filter((name) => name.startsWith('p'));
  expect(new Set(ranks)).toEqual(new Set(['p50', 'p66', 'p75', 'p80', 'p90', 'p95', 'p98', 'p99', 'p1', 'p10']));
  expect([distributionOf([]), speedDistributionOf([])]).toEqual([null, null]);
});
