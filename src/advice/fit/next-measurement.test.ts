import { describe, expect, it } from 'vitest';
import type { EngineProfile } from '../../engine/sim/index.ts';
import type { ProbeFit, TraceFit } from './index.ts';
import { nextForProbes, nextForTrace } from './index.ts';

const profile: EngineProfile = {
  schema: 'llmdyno.engine-profile/1',
  name: 'next',
  title: 'next',
  model: 'next',
  source: 'made up for tests',
  date: '2026',
  cost: { aMs: 20, cMsPerDecode: 0.1, p1MsPerPrefillToken: 0, kMsPer1000KvTokens: 0 },
  jitter: { stepSigma: 0.05 },
  maxBatchSize: 64,
  maxPrefillTokens: null,
  kv: null,
  notes: [],
};
const requests = Array.from({ length: 20 }, (_, i) => ({
  arrivalMs: i,
  promptTokens: 32,
  outputTokens: 20,
  ttftMs: 1,
  tpotMs: 1,
  latencyMs: 2,
}));

function traceFit(costs: Partial<EngineProfile['cost']>[]): TraceFit {
  const sample = (count: number): EngineProfile[] =>
    Array.from({ length: count }, (_, i) => ({ ...profile, cost: { ...profile.cost, ...costs[i % costs.length] } }));
  return {
    profile,
    trained: 10,
    scored: 10,
    intervals: {},
    batchKnown: true,
    metrics: {},
    residual: null,
    knots: [],
    sample,
  };
}

describe('the next measurement of a trace', () => {
  it('doubt about the slope calls for the full batch', () => {
    const next = nextForTrace(traceFit([{ cMsPerDecode: 0.05 }, { cMsPerDecode: 0.2 }]), requests, 64);
    expect(next.concurrency).toBe(64);
  });

  it('engines that agree leave no doubt, and two that differ leave the deviation of what they say', () => {
    const share = (costs: Partial<EngineProfile['cost']>[]): number =>
      Number(/±([\d.]+) %/.exec(nextForTrace(traceFit(costs), requests, 1).why.en)![1]);
    expect(share([{}])).toBe(0);
    // One at a time every step takes aMs + cMsPerDecode: eight engines say ln(22.1/18.1) more than the eight others, whose sample
    // deviation is half of that times √(16/15); ±1.645 deviations hold 90 % of them.
    const half = Math.log((22 + 0.1) / (18 + 0.1)) / 2;
    expect(share([{ aMs: 18 }, { aMs: 22 }])).toBeCloseTo(164.5 * half * Math.sqrt(16 / 15), 1);
  });

  it('doubt about the bare step calls for one at a time, where nothing else hides it', () => {
    const next = nextForTrace(traceFit([{ aMs: 18 }, { aMs: 22 }]), requests, 64);
    expect(next.concurrency).toBe(1);
  });
});

describe('the next probe', () => {
  const fit = (intervals: ProbeFit['intervals']): ProbeFit => ({
    cost: profile.cost,
    overheadMs: 0,
    stepSigma: 0,
    intervals,
  });
  const sure: ProbeFit['intervals'] = {
    aMs: [20, 20],
    cMsPerDecode: [0.1, 0.1],
    kMsPer1000KvTokens: [0.1, 0.1],
    p1MsPerPrefillToken: [0.05, 0.05],
  };

  it('goes beyond the probes where the limit is not known', () => {
    expect(nextForProbes(fit(sure), 32, false)).toMatchObject({ concurrency: 64 });
  });

  it('is the one that tells the least certain parameter', () => {
    expect(nextForProbes(fit({ ...sure, aMs: [19, 21] }), 32, true)).toMatchObject({
      concurrency: 1,
      outputTokens: 1024,
    });
    expect(nextForProbes(fit({ ...sure, p1MsPerPrefillToken: [0.04, 0.06] }), 32, true)).toMatchObject({
      concurrency: 1,
      inputTokens: 2048,
    });
    expect(nextForProbes(fit({ ...sure, kMsPer1000KvTokens: [0.0, 0.2] }), 32, true)).toMatchObject({
      concurrency: 32,
      inputTokens: 2048,
    });
    // ±0.02 · 32 = 0.64 ms, against ±0.5 ms of a.
    expect(nextForProbes(fit({ ...sure, aMs: [19.5, 20.5], cMsPerDecode: [0.08, 0.12] }), 32, true)).toMatchObject({
      concurrency: 32,
      inputTokens: 64,
    });
  });
});
