import { describe, expect, test } from 'vitest';
import { randomStream } from '../../core/index.ts';
import type { Exchange } from '../../core/index.ts';
import { makeMeter } from './meter.ts';
import type { MeterOptions } from './meter.ts';

const options: MeterOptions = {
  load: { kind: 'open', concurrency: null },
  stream: true,
  slo: ['ttft<200ms', 'latency<1s'],
};

/** A run whose requests all differ; some fail, some are dropped. */
function exchanges(count: number): Exchange[] {
  const draw = randomStream(5, 'requests');
  return Array.from({ length: count }, (_, seq): Exchange => {
    const dueMs = seq * 3;
    const sentMs = dueMs + draw.next();
    const first = sentMs + 50 + 200 * draw.next();
    const endMs = first + 100 + 900 * draw.next();
    const outcome = seq % 50 === 0 ? 'failed' : seq % 77 === 0 ? 'dropped' : 'ok';
    const left = outcome !== 'dropped';
    return {
      seq,
      promptId: 'p',
      labels: {},
      warmup: false,
      dueMs,
      sentMs: left ? sentMs : null,
      connectMs: null,
      firstByteMs: left ? first : null,
      chunks: left ? { atMs: [first, endMs], tokens: [1, 9], kinds: 'aa' } : { atMs: [], tokens: [], kinds: '' },
      endMs,
      inputTokens: { planned: null, server: 20, client: null },
      outputTokens: { planned: null, server: 10, client: null },
      cachedTokens: null,
      reasoningTokens: null,
      inputChars: 1,
      outputChars: 1,
      finish: 'stop',
      httpStatus: 200,
      attempts: 1,
      outcome,
      problem:
        outcome === 'ok' ? null : { code: outcome === 'failed' ? 'reset' : 'dropped-late', status: null, words: null },
    };
  });
}

describe('more requests than are kept one by one', () => {
  const all = exchanges(4000);
  const exact = makeMeter(options);
  const bounded = makeMeter({ ...options, exactRequests: 300 });
  for (const exchange of all) {
    exact.add(exchange);
    bounded.add(exchange);
  }
  const truth = exact.read();
  const folded = bounded.read();

  test('counts, rates, goodput, span and extremes are exact', () => {
    expect(folded.counts).toEqual(truth.counts);
    expect(folded.goodput).toEqual(truth.goodput);
    expect(folded.durationMs).toBe(truth.durationMs);
    expect(folded.requestsPerSec).toBe(truth.requestsPerSec);
    expect(folded.outputTokensPerSec).toBe(truth.outputTokensPerSec);
    expect(folded.concurrencyAchieved).toBeCloseTo(truth.concurrencyAchieved!, 6);
    for (const name of ['latencyMs', 'ttftMs', 'tpotMs', 'latencyFromDueMs', 'ttftFromDueMs', 'latenessMs'] as const) {
      expect([folded[name]!.n, folded[name]!.min, folded[name]!.max]).toEqual([
        truth[name]!.n,
        truth[name]!.min,
        truth[name]!.max,
      ]);
    }
  });

  test('percentiles are within 0.1 % of a neighbouring value, and the method says so', () => {
    for (const name of ['latencyMs', 'ttftMs', 'tpotMs', 'userTokensPerSec'] as const) {
      for (const rank of ['p50', 'p90', 'p99'] as const) {
        const ratio = folded[name]![rank]! / truth[name]![rank]!;
        expect(Math.abs(ratio - 1)).toBeLessThan(0.003);
      }
    }
    for (const rank of ['p1', 'p10'] as const)
      expect(Math.abs(folded.userTokensPerSec![rank]! / truth.userTokensPerSec![rank]! - 1)).toBeLessThan(0.003);
    expect(folded.percentileMethod).toMatch(/logarithmic buckets/);
    expect(folded.steady).toBeNull();
    expect(truth.steady).not.toBeNull();
  });

  test('reading twice says the same, and adding goes on', () => {
    expect(bounded.read()).toEqual(folded);
    const [late] = exchanges(1);
    bounded.add({ ...late!, seq: 4000 });
    expect(bounded.read().counts.planned).toBe(4001);
  });

  test('two halves merged are the whole', () => {
    const halves = [all.slice(0, 1700), all.slice(1700)].map((part) => {
      const meter = makeMeter({ ...options, exactRequests: 300 });
      for (const exchange of part) meter.add(exchange);
      return meter;
    });
    halves[0]!.merge(halves[1]!);
    expect(halves[0]!.read()).toEqual(folded);
  });
});
