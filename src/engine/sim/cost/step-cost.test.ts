import { describe, expect, it } from 'vitest';
import { linearCost } from './linear-cost.ts';
import { StepCost } from './step-cost.ts';

const sigma = 0.3;
const cost = linearCost({
  aMs: 1e-9,
  cMsPerDecode: 0,
  p1MsPerPrefillToken: 0,
  kMsPer1000KvTokens: 0,
  rMsPerPrompt: 10,
});

/** Times of one step that prefills prompts of these lengths, under many throws of the dice. */
function thrown(lengths: readonly number[]): number[] {
  return Array.from({ length: 2000 }, (_, seed) => {
    const step = new StepCost(cost, { stepSigma: sigma }, seed);
    const chunks = lengths.map((chunk, i) => ({ chunk, computedTokens: 0, lot: step.lotOf(i) }));
    const prefillTokens = lengths.reduce((sum, length) => sum + length, 0);
    return step.stepMs(
      { decodes: 0, prompts: lengths.length, prefillTokens, kvTokens: 0, prefillAttention: 0 },
      chunks,
      0,
    );
  });
}

describe('what prompts cost of their own', () => {
  it('scatters by the chance of each, however long the others are: eight scatter √8 times less than one', () => {
    const times = thrown([1000, 1, 1, 1, 1, 1, 1, 1]);
    const mean = times.reduce((sum, ms) => sum + ms, 0) / times.length;
    const spread = Math.sqrt(times.reduce((sum, ms) => sum + (ms - mean) ** 2, 0) / times.length);
    // A log-normal's relative spread; 2000 throws know it to about 3 %.
    const one = Math.sqrt(Math.exp(sigma ** 2) - 1);
    expect(mean / 80).toBeCloseTo(1, 1);
    expect(spread / mean / (one / Math.sqrt(8))).toBeGreaterThan(0.85);
    expect(spread / mean / (one / Math.sqrt(8))).toBeLessThan(1.15);
  });
});
