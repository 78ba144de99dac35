import { describe, expect, it } from 'vitest';
import type { Distribution } from '../../core/index.ts';
import { drawLengths, relativeLengths } from './length-distribution.ts';

const nothing = {
  min: null,
  max: null,
  p50: null,
  p66: null,
  p75: null,
  p80: null,
  p90: null,
  p95: null,
  p98: null,
  p99: null,
};

function shareAt(latency: Partial<Distribution>, rank: number, count = 10_000): number {
  const knots = relativeLengths({ ...nothing, n: 1000, ...latency } as Distribution);
  const lengths = drawLengths(knots, count, 1000).toSorted((a, b) => a - b);
  return lengths[Math.floor(rank * count)]! / 1000;
}

describe('answer lengths behind a log', () => {
  it('have the percentile that the log prints, even where it prints only one', () => {
    expect(shareAt({ mean: 1000, p90: 1370 }, 0.9)).toBeCloseTo(1.37, 1);
    expect(shareAt({ mean: 1000, p99: 2200 }, 0.99)).toBeCloseTo(2.2, 1);
    expect(shareAt({ mean: 1000, p50: 900 }, 0.5)).toBeCloseTo(0.9, 1);
  });

  it('thin out beyond the last percentile: half as many at each equal step, as between the last two', () => {
    // 2 % beyond p98 and 1 % beyond p99: each 100 ms halve them, so that one in a thousand is some 330 ms beyond p99.
    const printed = { mean: 1000, p50: 950, p90: 1500, p98: 2000, p99: 2100 };
    expect(shareAt(printed, 0.995)).toBeCloseTo(2.2, 1);
    expect(shareAt(printed, 0.999)).toBeCloseTo(2.43, 1);
  });

  it('end at the longest where the log tells it', () => {
    const printed = { mean: 1000, p50: 950, p90: 1500, p99: 2100, max: 2600 };
    const lengths = drawLengths(relativeLengths({ ...nothing, n: 1000, ...printed } as Distribution), 1000, 1000);
    expect(Math.max(...lengths) / 1000).toBeCloseTo(2.6, 1);
  });
});
