import { describe, expect, it } from 'vitest';
import { samplePoint } from '../../../../test/sample-point.ts';
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
  it('names the next range where the answer is the end of the one that was asked', () => {
    expect(why({ limit: 'range', breaksAt: null })).toContain('--concurrency 64,256');
    expect(why({ limit: 'range', breaksAt: null, kind: 'rate', value: 2.5 })).toContain('--rate 2.5,10');
  });
});
