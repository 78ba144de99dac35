import { randomStream } from '../../core/index.ts';
import { describe, expect, it } from 'vitest';
import { makeGapPool } from './gap-pool.ts';
import { weightedQuantile } from './weighted-distribution.ts';

describe('the pool above its cap', () => {
  const random = randomStream(11, 'gaps');
  const samples = Array.from({ length: 20_000 }, () => ({
    gap: Math.exp(random.normal() * 2),
    weight: random.next() * 3,
  }));
  const exact = makeGapPool(1e9);
  const rough = makeGapPool(100);
  for (const { gap, weight } of samples) {
    exact.add(gap, weight, 0);
    rough.add(gap, weight, 0);
  }
  it('stays within 0.1 % of the exact figures', () => {
    const [truth, read] = [exact.distribution()!, rough.distribution()!];
    expect(exact.collapsed).toBe(false);
    expect(rough.collapsed).toBe(true);
    for (const key of ['mean', 'min', 'max', 'p50', 'p66', 'p75', 'p80', 'p90', 'p95', 'p98', 'p99'] as const)
      expect(Math.abs(read[key]! / truth[key]! - 1)).toBeLessThanOrEqual(0.001);
    expect(read.n).toBe(truth.n);
  });
  it('has forgotten when the gaps were', () => {
    expect(exact.between(0, 1)).toEqual(exact.distribution());
    expect(rough.between(0, 1)).toBeNull();
  });
});

describe('weighted quantiles', () => {
  it('follow the stated line for fractional weights', () => {
    // Weights 1.5 and 1.5: W = 3, h = 2q. X(0) = X(1) = 10 (positions below 1.5), X(2) = 20.
    const read = (q: number): number | null => weightedQuantile([10, 20], [1.5, 3], q);
    expect([read(0), read(0.5), read(0.75), read(1)]).toEqual([10, 10, 15, 20]);
  });
  it('of less than one token in all is the first value', () => {
    expect(weightedQuantile([10], [0.4], 0.99)).toBe(10);
    expect(weightedQuantile([], [], 0.5)).toBeNull();
  });
});
