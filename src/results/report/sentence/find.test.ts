import { describe, expect, it } from 'vitest';
import { samplePoint } from '../../../../test/sample-point.ts';
import { findScreen } from '../screen/find-screen.ts';
import { whyInWords } from './find.ts';
import type { FindResult } from './find.ts';

const found: FindResult = {
  kind: 'concurrency',
  value: 64,
  confirmed: true,
  breaksAt: 80,
  outOfRuns: false,
  limit: 'batch',
  slo: [{ promise: 'ttft.p99<500ms', measured: 431, kept: true }],
  durationMs: 60_000,
  probes: [{ value: 64, kept: true, fresh: true, summary: samplePoint() }],
};
const why = (changes: Partial<FindResult>): string | null => whyInWords({ ...found, ...changes })?.en ?? null;

describe('the load that breaks', () => {
  it('shows how many requests missed what it was ended for, not the figure of its beginning', () => {
    const beyond = samplePoint({
      slo: [{ promise: 'ttft.p99<500ms', measured: 380, kept: true }],
      stoppedBecause: {
        rule: 'slo-lost',
        atMs: 5000,
        message: 'ttft.p99<500ms cannot be met any more: 84 of 1122 miss it (7.5 %, allowed 1 %)',
        evidence: { missed: 84, of: 1122, allowedRatio: 0.01 },
        zh: 'ttft.p99<500ms 已无法达到',
      },
    });
    const probes = [...found.probes, { value: 80, kept: false, fresh: false, summary: beyond }];
    expect(findScreen({ ...found, probes }, { lang: 'en' })).toContain('at 80: 84 of 1,122 missed it BROKEN');
    expect(findScreen({ ...found, probes }, { lang: 'zh' })).toContain('80 时：1,122 个中 84 个超出 未达标');
  });
});

describe('why an answer is no larger or no surer', () => {
  it('is not told of one that is confirmed and has a load that breaks', () => {
    expect(why({})).toBeNull();
  });
  it('tells runs that were spent before anything broke from those that were spent before the edge was known', () => {
    expect(why({ outOfRuns: true, breaksAt: null })).toContain('before any load broke a promise: --find-runs 16');
    expect(why({ outOfRuns: true })).toContain('before the edge was known: --find-runs 16');
    // A search that ended by itself has spent nothing.
    expect(why({ breaksAt: null })).toBeNull();
  });
  it('asks for longer runs where the answer is not sure, four times as long, in whole hundreds', () => {
    const summary = samplePoint({ counts: { ...samplePoint().counts, issued: 390 } });
    expect(why({ confirmed: false, probes: [{ value: 64, kept: true, fresh: true, summary }] })).toContain('-n 1600');
  });
  it('says first that a look at the answer is not valid, and what spoilt it', () => {
    const spoilt = {
      code: 'client-bound' as const,
      severity: 'invalid' as const,
      message: 'The client itself was the limit.',
      evidence: {},
      advice: '',
      zh: { message: '压测端自身成为瓶颈。', advice: '' },
    };
    const summary = samplePoint({ verdict: { valid: false, findings: [spoilt] } });
    const probes = [...found.probes, { value: 64, kept: true, fresh: true, summary }];
    expect(why({ probes })).toBe('A look there is NOT VALID: The client itself was the limit.');
    // Of a load that is not the answer it says nothing.
    expect(why({ probes: [...found.probes, { value: 32, kept: true, fresh: true, summary }] })).toBeNull();
  });
  it('names the next range where the answer is the end of the one that was asked', () => {
    expect(why({ limit: 'range', breaksAt: null })).toContain('--concurrency 64,256');
    expect(why({ limit: 'range', breaksAt: null, kind: 'rate', value: 2.5 })).toContain('--rate 2.5,10');
  });
});
