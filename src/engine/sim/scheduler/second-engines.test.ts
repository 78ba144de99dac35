import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SecondMindie, SecondSglang, SecondStatic, SecondVllm, SecondVllmV0 } from '../../../../test/second-engines.ts';
import type { Line, Story } from '../../../../test/second-engines.ts';
import { SecondCachingVllm } from '../../../../test/second-prefix-cache.ts';
import type { EngineProfile, EngineRequest, PromptKeys, SchedulerName, SettingValue } from '../index.ts';
import { EngineCore } from '../index.ts';

/** A step's cost in whole numbers. */
const cost = { aMs: 10, cMsPerDecode: 1, p1MsPerPrefillToken: 2, kMsPer1000KvTokens: 0 };

/** The story that the engine itself tells. */
function told(
  name: SchedulerName,
  settings: Record<string, SettingValue>,
  kv: EngineProfile['kv'],
  requests: readonly EngineRequest[],
  prefixCaching = false,
): Story {
  const profile: EngineProfile = {
    schema: 'llmdyno.engine-profile/1',
    name: 'second',
    title: 'second',
    model: 'second',
    source: 'made up for tests',
    date: '2026',
    cost,
    jitter: { stepSigma: 0 },
    maxBatchSize: 4,
    maxPrefillTokens: 64,
    kv,
    prefixCaching,
    scheduler: { name, settings },
    notes: [],
  };
  const core = new EngineCore({ profile, seed: 1 });
  const queue = requests.toSorted((a, b) => a.arrivalMs - b.arrivalMs);
  const lines: Line[] = [];
  let nowMs = 0;
  for (;;) {
    while (queue.length > 0 && queue[0]!.arrivalMs <= nowMs) core.submit(queue.shift()!);
    const step = core.beginStep(nowMs);
    if (step === null && queue.length === 0) break;
    const { running, waiting, kvUsedBlocks } = core.counters();
    const nextMs = queue[0]?.arrivalMs ?? Infinity;
    const startMs = nowMs;
    nowMs = step === null ? nextMs : step.batchSize === 0 ? Math.min(step.endMs, nextMs) : step.endMs;
    if (step === null) continue;
    const made = core
      .endStep()
      .toSorted((a, b) => a.id - b.id)
      .map(({ id, finished }) => `${id}${finished ? '!' : ''}`);
    if (step.batchSize > 0)
      lines.push({
        startMs,
        endMs: nowMs,
        prefill: step.prefillTokens,
        made,
        running,
        waiting,
        usedBlocks: kvUsedBlocks,
      });
  }
  const { preemptionsTotal, recomputedTokensTotal, swappedOutBlocksTotal } = core.counters();
  return { lines, preemptions: preemptionsTotal, recomputed: recomputedTokensTotal, swappedOut: swappedOutBlocksTotal };
}

/** Keys of blocks: those of a group's first `alike` tokens are the group's, all others the request's own. */
function keysOf(
  { id, inputTokens, outputTokens }: EngineRequest,
  { group, alike }: { group: number; alike: number },
  blockSize: number,
): PromptKeys {
  const keys = (tokens: number): Float64Array =>
    Float64Array.from({ length: Math.floor(tokens / blockSize) }, (_, i) =>
      blockSize * (i + 1) <= alike ? 1000 * group + i : 1e6 * (id + 1) + i,
    );
  return { prompt: keys(inputTokens), withAnswer: () => keys(inputTokens + outputTokens - 1) };
}

const loads = fc
  .array(
    fc.record({
      inputTokens: fc.integer({ min: 1, max: 60 }),
      outputTokens: fc.integer({ min: 1, max: 40 }),
      arrivalMs: fc.integer({ min: 0, max: 1200 }),
    }),
    { minLength: 1, maxLength: 20 },
  )
  .map((list) => list.map((request, id): EngineRequest => ({ id, ...request })));
const caches = fc.record({ blocks: fc.integer({ min: 13, max: 40 }), blockSize: fc.constantFrom(8, 16) });
const numRuns = process.env['LLMDYNO_LONG'] === '1' ? 5000 : 300;

describe('second engines tell the same story of any load', () => {
  it('vllm-v1: budget, chunks, long-prefill threshold, partial prefills, LIFO preemption, no admission in a preempting step', () => {
    const some = { preemptions: 0, cut: 0 };
    const settings = fc.record({
      max_num_seqs: fc.integer({ min: 1, max: 6 }),
      max_num_batched_tokens: fc.integer({ min: 6, max: 80 }),
      enable_chunked_prefill: fc.boolean(),
      long_prefill_token_threshold: fc.constantFrom(0, 0, 5, 17),
      max_num_partial_prefills: fc.constantFrom(1, 2, 100),
      async_scheduling: fc.boolean(),
    });
    fc.assert(
      fc.property(loads, settings, caches, (requests, chosen, kv) => {
        const second = new SecondVllm(chosen, kv).play(requests);
        expect(told('vllm-v1', chosen, kv, requests)).toEqual(second);
        some.preemptions += second.preemptions;
        some.cut += second.lines.filter(({ prefill, made }) => prefill > 0 && made.length === 0).length;
      }),
      { numRuns, seed: 31 },
    );
    expect(some.preemptions).toBeGreaterThan(50);
    expect(some.cut).toBeGreaterThan(50);
  });

  it('vllm-v1 with its prefix cache: shared beginnings, holders, the least recently used go first', () => {
    const some = { preemptions: 0, found: 0 };
    const settings = fc.record({
      max_num_seqs: fc.integer({ min: 1, max: 6 }),
      max_num_batched_tokens: fc.integer({ min: 6, max: 80 }),
      enable_chunked_prefill: fc.constant(true),
      long_prefill_token_threshold: fc.constantFrom(0, 17),
      max_num_partial_prefills: fc.constant(100),
      async_scheduling: fc.boolean(),
    });
    const alike = fc.array(
      fc.record({ group: fc.integer({ min: 0, max: 2 }), alike: fc.integer({ min: 0, max: 60 }) }),
      {
        minLength: 20,
        maxLength: 20,
      },
    );
    fc.assert(
      fc.property(loads, settings, caches, alike, (plain, chosen, kv, texts) => {
        const requests = plain.map((request) => ({
          ...request,
          keys: keysOf(request, texts[request.id]!, kv.blockSize),
        }));
        const second = new SecondCachingVllm(chosen, kv).play(requests);
        expect(told('vllm-v1', chosen, kv, requests, true)).toEqual(second);
        some.preemptions += second.preemptions;
        const prompts = requests.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
        if (second.preemptions === 0)
          some.found += prompts - second.lines.reduce((sum, { prefill }) => sum + prefill, 0);
      }),
      { numRuns, seed: 36 },
    );
    expect(some.preemptions).toBeGreaterThan(50);
    expect(some.found).toBeGreaterThan(1000);
  });

  it('mindie: prefill batches closed by count, tokens or delay, the waste rule, swapping up to maxPreemptCount, else recompute', () => {
    const some = { preemptions: 0, swappedOut: 0 };
    const settings = fc.record({
      maxBatchSize: fc.integer({ min: 1, max: 6 }),
      maxPrefillBatchSize: fc.integer({ min: 1, max: 4 }),
      maxPrefillTokens: fc.constantFrom(20, 64, 200),
      maxQueueDelayMicroseconds: fc.constantFrom(500, 5000, 100_000),
      supportSelectBatch: fc.boolean(),
      prefillTimeMsPerReq: fc.constantFrom(0, 150, 600),
      decodeTimeMsPerReq: fc.constantFrom(1, 50),
      maxPreemptCount: fc.constantFrom(0, 1, 3),
      cpuBlocks: fc.constantFrom(5, 20),
      recomputeThreshold: fc.constantFrom(0.5, 1),
    });
    fc.assert(
      fc.property(loads, settings, caches, (requests, chosen, kv) => {
        const second = new SecondMindie(chosen, kv).play(requests);
        expect(told('mindie', chosen, kv, requests)).toEqual(second);
        some.preemptions += second.preemptions;
        some.swappedOut += second.swappedOut;
      }),
      { numRuns, seed: 32 },
    );
    expect(some.preemptions).toBeGreaterThan(50);
    expect(some.swappedOut).toBeGreaterThan(50);
  });

  it('vllm-v0: prompts first, the watermark, swap where the host has room, else recompute', () => {
    const some = { preemptions: 0, swappedOut: 0 };
    const settings = fc.record({
      max_num_seqs: fc.integer({ min: 1, max: 6 }),
      max_num_batched_tokens: fc.integer({ min: 6, max: 120 }),
      watermark: fc.constantFrom(0, 0.01, 0.2),
      preemption_mode: fc.constantFrom('recompute', 'swap'),
      num_cpu_blocks: fc.constantFrom(2, 6, 30),
    });
    fc.assert(
      fc.property(loads, settings, caches, (requests, chosen, kv) => {
        const second = new SecondVllmV0(chosen, kv).play(requests);
        expect(told('vllm-v0', chosen, kv, requests)).toEqual(second);
        some.preemptions += second.preemptions;
        some.swappedOut += second.swappedOut;
      }),
      { numRuns, seed: 33 },
    );
    expect(some.preemptions).toBeGreaterThan(50);
    expect(some.swappedOut).toBeGreaterThan(50);
  });

  it('sglang: extend trains, chunks of long prompts, blocks kept for answers, retraction', () => {
    let preemptions = 0;
    const settings = fc.record({
      max_running_requests: fc.integer({ min: 1, max: 6 }),
      max_prefill_tokens: fc.integer({ min: 10, max: 120 }),
      chunked_prefill_size: fc.constantFrom(-1, 9, 40),
      new_token_ratio: fc.constantFrom(0, 0.1, 0.3),
    });
    fc.assert(
      fc.property(loads, settings, caches, (requests, chosen, kv) => {
        const second = new SecondSglang(chosen, kv).play(requests);
        expect(told('sglang', chosen, kv, requests)).toEqual(second);
        preemptions += second.preemptions;
      }),
      { numRuns, seed: 34 },
    );
    expect(preemptions).toBeGreaterThan(50);
  });

  it('static: a batch is served to its end', () => {
    const settings = fc.record({ maxBatchSize: fc.integer({ min: 1, max: 6 }) });
    const wide = { blocks: 1000, blockSize: 16 };
    fc.assert(
      fc.property(loads, settings, (requests, chosen) => {
        expect(told('static', chosen, wide, requests)).toEqual(new SecondStatic(chosen, wide).play(requests));
      }),
      { numRuns, seed: 35 },
    );
  });
});
