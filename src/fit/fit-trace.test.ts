import { describe, expect, it } from 'vitest';
import { randomStream } from '../core/index.ts';
import type { EngineProfile } from '../sim/index.ts';
import { fitTrace, readTrace, replay } from './index.ts';
import type { TracedRequest } from './index.ts';

const hidden: EngineProfile = {
  schema: 'llmdyno.engine-profile/1',
  name: 'hidden',
  title: 'hidden',
  model: 'hidden',
  source: 'made up for tests',
  date: '2026',
  cost: { aMs: 12.3, cMsPerDecode: 0.05, p1MsPerPrefillToken: 0.048, kMsPer1000KvTokens: 0.061 },
  jitter: { stepSigma: 0.03 },
  maxBatchSize: 256,
  maxPrefillTokens: null,
  kv: { blocks: 20_000, blockSize: 16 },
  scheduler: { name: 'vllm-v1', settings: { max_num_seqs: 256, max_num_batched_tokens: 2048 } },
  overheadMs: 3,
  notes: [],
};

function tracedRun(profile: EngineProfile, count: number, ratePerSec: number): TracedRequest[] {
  const random = randomStream(3, 'trace');
  let arrivalMs = 0;
  const requests = Array.from({ length: count }, (): TracedRequest => {
    arrivalMs += (1000 * random.exponential()) / ratePerSec;
    const promptTokens = Math.max(4, Math.round(Math.exp(5.8 + 0.8 * random.normal())));
    const outputTokens = Math.max(2, Math.round(Math.exp(5 + 0.6 * random.normal())));
    return { arrivalMs, promptTokens, outputTokens, ttftMs: 0, tpotMs: 0, latencyMs: 0 };
  });
  const played = replay(profile, requests, 9);
  return requests.map((request, i) => ({
    ...request,
    ttftMs: played.ttftMs[i]!,
    tpotMs: played.tpotMs[i]!,
    latencyMs: played.latencyMs[i]!,
  }));
}

describe('a request trace of a simulated vLLM with hidden parameters', () => {
  it('fitted on a quarter, predicts every mean, p50, p90 and p99 of the rest within 6 %', () => {
    const requests = tracedRun(hidden, 800, 5);
    const fit = fitTrace(requests, {
      train: 0.25,
      scheduler: 'vllm-v1',
      settings: { max_num_seqs: 256, max_num_batched_tokens: 2048 },
      kv: hidden.kv,
    });
    expect(fit.trained).toBe(200);
    expect(Object.keys(fit.metrics)).toHaveLength(12);
    for (const { error } of Object.values(fit.metrics)) expect(Math.abs(error)).toBeLessThan(0.06);
  });
});

describe('the file', () => {
  const line = { arrivalMs: 0, promptTokens: 10, outputTokens: 3, ttftMs: 20, tpotMs: 10, latencyMs: 40 };
  const lines = (count: number): string => Array.from({ length: count }, () => JSON.stringify(line)).join('\n');

  it('is one object per line; the time per token follows from the other two', () => {
    expect(readTrace(`${lines(20)}\n\n`, 'x.jsonl')).toHaveLength(20);
    expect(readTrace(lines(20), 'x.jsonl')[0]).toEqual(line);
  });

  it.each([
    ['{', 'not JSON'],
    ['[]', 'ttftMs'],
    ['{"__proto__":{"ttftMs":1},"latencyMs":1}', 'ttftMs'],
    [JSON.stringify({ ...line, promptTokens: 0 }), 'promptTokens'],
    [JSON.stringify({ ...line, arrivalMs: 'now' }), 'arrivalMs'],
  ])('with %s in line 21 is refused with the line', (bad, what) => {
    expect(() => readTrace(`${lines(20)}\n${bad}`, 'x.jsonl')).toThrow(new RegExp(`x\\.jsonl:21.*${what}`));
  });
});
