import { describe, expect, test } from 'vitest';
import { randomStream } from '../../core/index.ts';
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
  test('of values that come in tens only each tenth counts', () => {
    expect(quantileInterval(ranks(1000), 0.5, 10)).toEqual([391, 610]);
    expect(quantileInterval(ranks(1000), 0.99, 10)).toBeNull();
  });
  test('there is none where even the largest value may lie below the quantile: p99 needs more than 367 values', () => {
    expect(quantileInterval(ranks(367), 0.99)).toBeNull();
    // Nor where even the smallest may lie above it.
    expect(quantileInterval(ranks(20), 0.1)).toBeNull();
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
  test('two runs of one server differ by a hundredth each: 2 % is no difference however even the runs are, 5 % is', () => {
    const even = (value: number): SliceStatistic => ({ count: 30, of: () => value, parts: new Float64Array(30) });
    expect(changeBetween(even(100), even(102))!.significant).toBe(false);
    expect(changeBetween(even(100), even(105))!.significant).toBe(true);
  });
  test('a quantile with too few requests behind it has no interval', () => {
    expect(estimate({ ...drawnRun(1, 100), least: null })).toBeNull();
  });
});
