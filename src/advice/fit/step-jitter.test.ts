import { describe, expect, it } from 'vitest';
import { randomStream } from '../../core/index.ts';
import type { EngineProfile } from '../../engine/sim/index.ts';
import { fitTrace, replay } from './index.ts';
import type { TracedRequest } from './index.ts';

const settings = { max_num_seqs: 128, max_num_batched_tokens: 2048 };

/** A prompt of 1000 tokens takes as long as twelve plain steps: what it does to its neighbours must not be read as jitter. */
function traceOf(stepSigma: number, lateMs: number): TracedRequest[] {
  const profile: EngineProfile = {
    schema: 'llmdyno.engine-profile/1',
    name: 'hidden',
    title: 'hidden',
    model: 'hidden',
    source: 'made up for tests',
    date: '2026',
    cost: { aMs: 14, cMsPerDecode: 0.06, p1MsPerPrefillToken: 0.19, kMsPer1000KvTokens: 0.06 },
    jitter: { stepSigma },
    maxBatchSize: 128,
    maxPrefillTokens: null,
    kv: { blocks: 20_000, blockSize: 16 },
    scheduler: { name: 'vllm-v1', settings },
    overheadMs: 3,
    notes: [],
  };
  const random = randomStream(5, 'trace');
  let arrivalMs = 0;
  const requests = Array.from({ length: 400 }, (): TracedRequest => {
    arrivalMs += 300 * random.exponential();
    const promptTokens = Math.max(4, Math.round(Math.exp(5.6 + 0.9 * random.normal())));
    const outputTokens = Math.max(2, Math.round(Math.exp(5 + 0.6 * random.normal())));
    return { arrivalMs, promptTokens, outputTokens, ttftMs: 0, tpotMs: 0, latencyMs: 0 };
  });
  const played = replay(profile, requests, 9);
  return requests.map((request, i) => {
    const ttftMs = played.ttftMs[i]! + lateMs * random.exponential();
    const latencyMs = Math.max(ttftMs, played.latencyMs[i]! + lateMs * random.exponential());
    return { ...request, ttftMs, latencyMs, tpotMs: (latencyMs - ttftMs) / (request.outputTokens - 1) };
  });
}

const found = (requests: TracedRequest[]): number =>
  fitTrace(requests, { train: 0.75, scheduler: 'vllm-v1', settings, kv: null }).profile.jitter.stepSigma;

describe('the jitter of steps, read off first and last tokens', () => {
  it.each([0.01, 0.035])('of %f is found within a fifth, however much prompts cost', (stepSigma) => {
    expect(Math.abs(found(traceOf(stepSigma, 0)) / stepSigma - 1)).toBeLessThan(0.2);
  });

  it('stays near what it is when a client reads moments half a millisecond late', () => {
    expect(found(traceOf(0.02, 0.5))).toBeLessThan(0.04);
  });
});
