import { describe, expect, it } from 'vitest';
import { fitProbes } from './index.ts';
import type { ProbeSight } from './index.ts';

/** What an engine with a = 10, c = 0.5, k = 0.2, p1 = 0.1 and 3 ms of overhead would show, sums on paper. */
const sights: ProbeSight[] = (
  [
    // First tokens: 3 + 10 + 6.4, 3 + 10 + 50, 3 + 10 + 150.
    { concurrency: 1, inputTokens: 64, outputTokens: 8, gapsMs: [], stepsMs: [], ttftMs: [19.4, 19.4, 400] },
    { concurrency: 1, inputTokens: 500, outputTokens: 8, gapsMs: [], stepsMs: [], ttftMs: [63] },
    { concurrency: 1, inputTokens: 1500, outputTokens: 8, gapsMs: [], stepsMs: [], ttftMs: [163] },
    // 10 + 0.5 + 0.2·(0 + 200)/1000; 10 + 16 + 0.2·32·0.1; 10 + 32 + 0.2·64·0.1; 10 + 16 + 0.2·32·1.
    { concurrency: 1, inputTokens: 100, outputTokens: 200, gapsMs: [10.54], stepsMs: [10.54], ttftMs: [] },
    { concurrency: 32, inputTokens: 50, outputTokens: 100, gapsMs: [26.64], stepsMs: [26.64], ttftMs: [] },
    { concurrency: 64, inputTokens: 50, outputTokens: 100, gapsMs: [43.28], stepsMs: [43.28], ttftMs: [] },
    { concurrency: 32, inputTokens: 950, outputTokens: 100, gapsMs: [32.4], stepsMs: [32.4, 32.4, 99], ttftMs: [] },
  ] as const
).map((sight) => ({
  ...sight,
  gapsMs: [...sight.gapsMs],
  stepsMs: [...sight.stepsMs],
  ttftMs: [...sight.ttftMs],
  cachedShare: null,
}));

describe('probes', () => {
  it('give back the parameters that made them, one stray request notwithstanding', () => {
    const { cost, overheadMs, intervals } = fitProbes(sights);
    expect(cost.aMs).toBeCloseTo(10, 6);
    expect(cost.cMsPerDecode).toBeCloseTo(0.5, 6);
    expect(cost.kMsPer1000KvTokens).toBeCloseTo(0.2, 6);
    expect(cost.p1MsPerPrefillToken).toBeCloseTo(0.1, 6);
    expect(overheadMs).toBeCloseTo(3, 6);
    expect(intervals['aMs']![0]).toBeLessThan(10);
    expect(intervals['aMs']![1]).toBeGreaterThan(10);
  });
});
