import { describe, expect, it } from 'vitest';
import type { EngineProfile, SettingValue } from '../../engine/sim/index.ts';
import { replay } from './index.ts';
import type { TracedRequest } from './index.ts';

const engine = (blocks: number, settings: Record<string, SettingValue>): EngineProfile => ({
  schema: 'llmdyno.engine-profile/1',
  name: 'x',
  title: 'x',
  model: 'x',
  source: 'made up for tests',
  date: '2026',
  cost: { aMs: 10, cMsPerDecode: 0, p1MsPerPrefillToken: 1, kMsPer1000KvTokens: 0 },
  jitter: { stepSigma: 0 },
  maxBatchSize: 8,
  maxPrefillTokens: null,
  kv: { blocks, blockSize: 16 },
  scheduler: { name: 'vllm-v1', settings: { max_num_seqs: 8, max_num_batched_tokens: 2048, ...settings } },
  notes: [],
});
const asked = (arrivalMs: number, outputTokens: number): TracedRequest => ({
  arrivalMs,
  promptTokens: 64,
  outputTokens,
  ttftMs: 1,
  tpotMs: 1,
  latencyMs: 1,
});
/** Two of 64 tokens at once; what the second makes is 64 tokens, too, and the first ends after 20. */
const two = [asked(0, 20), asked(0, 64)];

describe('a replayed trace', () => {
  it('one that was preempted finds what is left of its own prompt in the prefix cache and comes back sooner', () => {
    // Ten blocks: 5 + 5 are full when both have 80 tokens, so the younger gives way at 17 tokens made; the older needs one block more and ends 3 steps later.
    const kept = replay(engine(10, { enable_prefix_caching: true }), two);
    const lost = replay(engine(10, { enable_prefix_caching: false }), two);
    expect(kept.latencyMs[0]).toBe(lost.latencyMs[0]);
    // 48 of its 64 prompt tokens (the last block is computed again with what it had made) are not prefilled again, 1 ms each.
    expect(lost.latencyMs[1]! - kept.latencyMs[1]!).toBeCloseTo(48, 6);
  });

  it('is the same with and without a prefix cache where nobody is preempted: no two prompts begin alike', () => {
    const on = replay(engine(100, { enable_prefix_caching: true }), two);
    const off = replay(engine(100, { enable_prefix_caching: false }), two);
    expect(on).toEqual(off);
  });
});
