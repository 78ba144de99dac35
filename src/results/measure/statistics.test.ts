import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { randomStream } from '../../core/index.ts';
import { batchMeansInterval } from './batch-means.ts';
import { bootstrapInterval } from './bootstrap.ts';
import { changeBetween, estimate } from './change.ts';
import { quantileInterval } from './quantile-interval.ts';
import type { SliceStatistic } from './slice-statistic.ts';
import { normalQuantile, studentQuantile } from './student.ts';

// Values of SciPy 1.x (scipy.stats.t.ppf, norm.ppf, binom), computed apart; bench/statistics.py repeats them.
describe('quantiles of Student and the normal', () => {
  test.each([
    [0.975, 1, 12.706204736174694],
    [0.975, 7, 2.364624251592784],
    [0.975, 29.5, 2.043724966772122],
    [0.9, 3, 1.637744353696209],
    [0.995, 100, 2.6258905214380173],
  ])('t(%d, %d) as SciPy has it', (p, freedom, value) => {
    expect(studentQuantile(p, freedom)).toBeCloseTo(value, 9);
  });
  test.each([
    [0.975, 1.959963984540054],
    [0.001, -3.090232306167813],
    [0.9999, 3.719016485455709],
  ])('z(%d) as SciPy has it', (p, value) => {
    expect(normalQuantile(p)).toBeCloseTo(value, 10);
  });
});

describe('the interval of a quantile between order statistics', () => {
  const ranks = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);
  test.each([
    [100, 0.5, [40, 61]],
    [200, 0.9, [171, 189]],
    [1000, 0.99, [983, 997]],
    [20, 0.5, [6, 15]],
    [400, 0.99, [392, 400]],
  ])('n = %d, q = %d: the ranks that the binomial distribution gives', (n, q, wanted) => {
    expect(quantileInterval(ranks(n), q)).toEqual(wanted);
  });
  test('there is none where even the largest value may lie below the quantile: p99 needs more than 367 values', () => {
    expect(quantileInterval(ranks(367), 0.99)).toBeNull();
  });
});

describe('a mean from batch means', () => {
  test('of a series without memory: 20 batches, as NumPy computes it', () => {
    const series = Array.from({ length: 400 }, (_, i) => ((i * i * 31) % 97) / 10);
    const { mean, low, high, batches } = batchMeansInterval(series)!;
    expect(batches).toBe(20);
    expect([mean, low, high].map((value) => Number(value.toFixed(9)))).toEqual([4.81875, 4.565988154, 5.071511846]);
  });
  test('of a series with a long memory: a far wider interval than the same values in another order have', () => {
    const stream = randomStream(3, 'ar');
    let x = 0;
    const series = Array.from({ length: 2000 }, () => (x = 0.97 * x + stream.normal()));
    const shuffled = series
      .map((value, i) => [value, randomStream(i, 'order').next()] as const)
      .toSorted((a, b) => a[1] - b[1]);
    const remembered = batchMeansInterval(series)!;
    const forgotten = batchMeansInterval(shuffled.map(([value]) => value))!;
    expect(remembered.high - remembered.low).toBeGreaterThan(3 * (forgotten.high - forgotten.low));
  });
  test('covers the true mean of autocorrelated series in at least 93 of 100 cases', () => {
    const tries = process.env['LLMDYNO_LONG'] === '1' ? 2000 : 400;
    let covered = 0;
    for (let t = 0; t < tries; t++) {
      const stream = randomStream(t, 'coverage');
      let x = stream.normal() / Math.sqrt(1 - 0.8 ** 2);
      const { low, high } = batchMeansInterval(Array.from({ length: 1000 }, () => (x = 0.8 * x + stream.normal())))!;
      if (low <= 0 && high >= 0) covered += 1;
    }
    expect(covered / tries).toBeGreaterThanOrEqual(0.93);
  });
  test('too few values give nothing', () => {
    expect(batchMeansInterval(Array.from({ length: 15 }, () => 1))).toBeNull();
  });
});

describe('the bootstrap', () => {
  const meanOf = (sample: Float64Array): number => sample.reduce((a, b) => a + b, 0) / sample.length;
  test('the same seed gives the same interval, and it lies within the data', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 2, maxLength: 30 }),
        (values) => {
          const first = bootstrapInterval(values, meanOf, { resamples: 50 })!;
          expect(bootstrapInterval(values, meanOf, { resamples: 50 })).toEqual(first);
          expect(first[0]).toBeGreaterThanOrEqual(Math.min(...values) - 1e-6);
          expect(first[1]).toBeLessThanOrEqual(Math.max(...values) + 1e-6);
        },
      ),
      { numRuns: 50 },
    );
  });
});

/** A run whose figure in each of 20 stretches is a draw around a level. */
function drawnRun(seed: number, level: number): SliceStatistic {
  const stream = randomStream(seed, 'run');
  const values = Array.from({ length: 20 }, () => level * (1 + 0.1 * stream.normal()));
  return {
    count: 20,
    parts: Float64Array.from(values, (value) => value - level),
    of: (weights) => {
      let [sum, all] = [0, 0];
      for (const [i, value] of values.entries()) {
        sum += value * weights[i]!;
        all += weights[i]!;
      }
      return all > 0 ? sum / all : null;
    },
  };
}

describe('the change between two runs', () => {
  test('equal runs are called different in at most about 5 of 100 cases', () => {
    const tries = 400;
    let wrong = 0;
    for (let t = 0; t < tries; t++)
      if (changeBetween(drawnRun(2 * t, 100), drawnRun(2 * t + 1, 100), { resamples: 200 })!.significant) wrong += 1;
    // 5 % of 400 is 20; 29 and more would happen once in 40 test suites.
    expect(wrong).toBeLessThan(29);
  });
  test('a run twice as good is different, by about that much', () => {
    const { ratio, significant, interval } = changeBetween(drawnRun(1, 100), drawnRun(2, 200))!;
    expect(significant).toBe(true);
    expect(ratio).toBeGreaterThan(0.8);
    expect(interval[0]).toBeLessThan(ratio);
    expect(interval[1]).toBeGreaterThan(ratio);
  });
  test('swapping the runs turns the change round', () => {
    const there = changeBetween(drawnRun(1, 100), drawnRun(2, 130))!;
    const back = changeBetween(drawnRun(2, 130), drawnRun(1, 100))!;
    expect((1 + there.ratio) * (1 + back.ratio)).toBeCloseTo(1, 12);
  });
  test('a figure that is zero has no ratio; one that never varies differs surely', () => {
    const constant = (value: number): SliceStatistic => ({ count: 10, of: () => value, parts: new Float64Array(10) });
    expect(changeBetween(constant(0), constant(1))).toBeNull();
    expect(changeBetween(constant(2), constant(3))).toMatchObject({ ratio: 0.5, significant: true });
    expect(changeBetween(constant(2), constant(2))).toMatchObject({ ratio: 0, significant: false });
  });
  test('a quantile with too few requests behind it has no interval', () => {
    expect(estimate({ ...drawnRun(1, 100), least: null })).toBeNull();
  });
});
