import { describe, expect, it } from 'vitest';
import { Jitter } from './jitter.ts';

const sigma = 0.03;

/** Logarithms of factors, freed of their mean and in units of σ: they should be standard normal. */
function drawn(jitter: Jitter, lots: number, each: number): number[] {
  return Array.from({ length: lots }, (_, prompt) => jitter.lotOf(prompt)).flatMap((lot) =>
    Array.from({ length: each }, (_unused, n) => (Math.log(jitter.factor(lot, n)) + sigma ** 2 / 2) / sigma),
  );
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The share of a normal distribution below z (Abramowitz and Stegun 7.1.26, within 1.5e-7). */
function normalBelow(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const tail =
    t *
    (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))) *
    Math.exp(-x * x);
  return z < 0 ? tail / 2 : 1 - tail / 2;
}

describe('jitter', () => {
  const spread = { stepSigma: sigma };

  it('is log-normal, with a mean of 1: no quantile is further off than chance allows', () => {
    for (const [lots, each] of [
      [1, 40_000],
      [40_000, 1],
      [200, 200],
    ] as const) {
      const values = drawn(new Jitter(spread, 7), lots, each).toSorted((a, b) => a - b);
      const gaps = values.map((value, i) => Math.abs(normalBelow(value) - (i + 0.5) / values.length));
      // Kolmogorov and Smirnov: beyond this once in a thousand times.
      expect(Math.max(...gaps)).toBeLessThan(1.95 / Math.sqrt(values.length));
      expect(mean(values.map((value) => Math.exp(sigma * value - sigma ** 2 / 2)))).toBeCloseTo(1, 3);
    }
  });

  it('knows nothing of its neighbours: the step before, the prompt before, the seed before', () => {
    const count = 40_000;
    const one = new Jitter(spread, 1);
    const [lot, other] = [one.lotOf(1), one.lotOf(2)];
    const row = (jitter: Jitter, of: number, from = 0): number[] =>
      Array.from({ length: count }, (_, n) => Math.log(jitter.factor(of, n + from)) / sigma);
    const likeness = (a: readonly number[], b: readonly number[]): number => {
      const [ma, mb] = [mean(a), mean(b)];
      return mean(a.map((value, i) => (value - ma) * (b[i]! - mb)));
    };
    const base = row(one, lot);
    const two = new Jitter(spread, 2);
    for (const beside of [row(one, lot, 1), row(one, lot, 2), row(one, other), row(one, ~lot), row(two, two.lotOf(1))])
      expect(Math.abs(likeness(base, beside))).toBeLessThan(4 / Math.sqrt(count));
  });

  it('hangs on seed, prompt and number alone, and on how often the prompt was asked', () => {
    const [a, b] = [new Jitter(spread, 5), new Jitter(spread, 5)];
    for (let prompt = 0; prompt < 50; prompt++) b.lotOf(1000 + prompt);
    const lot = a.lotOf(3);
    expect(b.lotOf(3)).toBe(lot);
    expect(a.lotOf(4)).not.toBe(lot);
    const again = a.lotOf(3);
    expect(again).not.toBe(lot);
    expect(b.lotOf(3)).toBe(again);
    expect(new Jitter(spread, 6).lotOf(3)).not.toBe(lot);
  });

  it('has one factor more for a whole run, whose mean over runs is 1', () => {
    const runs = Array.from({ length: 4000 }, (_, seed) => new Jitter({ stepSigma: 0, runSigma: 0.1 }, seed));
    for (const run of runs.slice(0, 20)) expect(run.factor(run.lotOf(1), 5)).toBe(run.factor(run.lotOf(9), 0));
    const factors = runs.map((run) => run.factor(0, 0));
    expect(mean(factors)).toBeCloseTo(1, 2);
    expect(Math.sqrt(mean(factors.map((factor) => Math.log(factor) ** 2)))).toBeCloseTo(0.1, 2);
  });
});
