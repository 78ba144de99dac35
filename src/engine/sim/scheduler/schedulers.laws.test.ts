import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Emission, EngineProfile, EngineRequest, Finish, PromptKeys, SettingValue } from '../index.ts';
import { EngineCore, schedulerNames } from '../index.ts';
import type { SchedulerName } from '../index.ts';

const base: EngineProfile = {
  schema: 'llmdyno.engine-profile/1',
  name: 'laws',
  title: 'laws',
  model: 'laws',
  source: 'made up for tests',
  date: '2026',
  cost: {
    aMs: 10,
    cMsPerDecode: 1,
    p1MsPerPrefillToken: 0.5,
    kMsPer1000KvTokens: 3,
    mMsPerMillionAttention: 50,
  },
  jitter: { stepSigma: 0.1 },
  maxBatchSize: 5,
  maxPrefillTokens: 48,
  kv: { blocks: 14, blockSize: 8 },
  notes: [],
};

/** Settings that bring each policy's special paths into play. */
const variants: { scheduler: SchedulerName; settings: Record<string, SettingValue> }[] = [
  ...schedulerNames.map((scheduler) => ({ scheduler, settings: {} })),
  { scheduler: 'vllm-v1', settings: { max_num_batched_tokens: 5 } },
  { scheduler: 'vllm-v1', settings: { long_prefill_token_threshold: 7, max_num_batched_tokens: 20 } },
  { scheduler: 'vllm-v1', settings: { long_prefill_token_threshold: 7, max_num_partial_prefills: 1 } },
  { scheduler: 'vllm-v1', settings: { enable_chunked_prefill: false } },
  { scheduler: 'vllm-v1', settings: { async_scheduling: true } },
  { scheduler: 'vllm-v0', settings: { preemption_mode: 'swap', num_cpu_blocks: 9 } },
  { scheduler: 'mindie', settings: { supportSelectBatch: true } },
  { scheduler: 'mindie', settings: { stageSelectPolicy: 2, prefillExpectedTime: 400 } },
  { scheduler: 'mindie', settings: { maxPreemptCount: 3, cpuBlocks: 20 } },
  { scheduler: 'mindie', settings: { backendType: 'ms', maxPrefillBatchSize: 2 } },
  { scheduler: 'sglang', settings: { chunked_prefill_size: 9 } },
];

const someRequests = fc
  .array(
    fc.record({
      inputTokens: fc.integer({ min: 1, max: 60 }),
      outputTokens: fc.integer({ min: 1, max: 45 }),
      arrivalMs: fc.integer({ min: 0, max: 1500 }),
      group: fc.integer({ min: 0, max: 2 }),
      alike: fc.integer({ min: 0, max: 40 }),
    }),
    { minLength: 1, maxLength: 25 },
  )
  .map((list) =>
    list.map(({ group, alike, ...request }, id) => ({ id, ...request, keys: keysOf(id, group, alike, request) })),
  );

/** Keys of blocks of 8 tokens: those of a group's first `alike` tokens are the group's, all others the request's own. */
function keysOf(
  id: number,
  group: number,
  alike: number,
  { inputTokens, outputTokens }: Pick<EngineRequest, 'inputTokens' | 'outputTokens'>,
): PromptKeys {
  const keys = (tokens: number): Float64Array =>
    Float64Array.from({ length: Math.floor(tokens / 8) }, (_, i) =>
      8 * (i + 1) <= alike ? 1000 * group + i : 1e6 * (id + 1) + i,
    );
  return { prompt: keys(inputTokens), withAnswer: () => keys(inputTokens + outputTokens - 1) };
}

/** Lets a core run through the requests, looking at it whenever it stops. */
function drive(core: EngineCore, requests: readonly EngineRequest[], look: () => void): Finish[] {
  const queue = requests.toSorted((a, b) => a.arrivalMs - b.arrivalMs);
  const done: Finish[] = [];
  let nowMs = 0;
  while (queue.length > 0 || core.step !== null) {
    const nextMs = queue[0]?.arrivalMs ?? Infinity;
    const finishes = core.step === null ? [] : core.advance(nextMs);
    done.push(...finishes);
    const at = finishes[0]?.endMs ?? nextMs;
    expect(at).toBeGreaterThanOrEqual(nowMs);
    nowMs = at;
    while (finishes.length === 0 && queue.length > 0 && queue[0]!.arrivalMs <= nowMs) {
      core.submit(queue.shift()!);
      if (core.step === null) core.beginStep(nowMs);
    }
    look();
  }
  return done;
}

/** One step of an engine that is driven by hand, with what it made. */
interface Watched {
  startMs: number;
  endMs: number;
  batchSize: number;
  /** Requests that had arrived when it began and were not done. */
  present: number[];
  emissions: Emission[];
}

/** Drives a core step by step: who arrives during a step is submitted at its end. */
function watch(core: EngineCore, requests: readonly EngineRequest[]): Watched[] {
  const queue = requests.toSorted((a, b) => a.arrivalMs - b.arrivalMs);
  const present = new Set<number>();
  const steps: Watched[] = [];
  let nowMs = queue[0]!.arrivalMs;
  for (;;) {
    const arrived = queue.findIndex(({ arrivalMs }) => arrivalMs > nowMs);
    const come = queue.splice(0, arrived === -1 ? queue.length : arrived);
    for (const request of come) {
      core.submit(request);
      present.add(request.id);
    }
    const step = core.beginStep(nowMs);
    if (step === null) {
      expect(present.size).toBe(0);
      if (queue.length === 0) return steps;
      nowMs = queue[0]!.arrivalMs;
      continue;
    }
    const { startMs, endMs, batchSize } = step;
    const watched = { startMs, endMs, batchSize, present: [...present], emissions: core.endStep() };
    steps.push(watched);
    for (const { id, finished } of watched.emissions) if (finished) present.delete(id);
    nowMs = endMs;
  }
}

const profileOf = ({ scheduler, settings }: (typeof variants)[number], prefixCaching: boolean): EngineProfile => ({
  ...base,
  prefixCaching,
  scheduler: { name: scheduler, settings },
});

describe.each(variants)('$scheduler $settings', (variant) => {
  it.each([false, true])(
    'prefix cache %s: nothing lost, blocks conserved, tokens in time, the clock never goes back',
    (caching) => {
      fc.assert(
        fc.property(someRequests, fc.integer(), (requests, seed) => {
          const core = new EngineCore({ profile: profileOf(variant, caching), seed });
          const done = drive(core, requests, () => {
            const { kvUsedBlocks, kvCachedBlocks, running } = core.counters();
            expect(core.recountBlocks()).toBe(kvUsedBlocks);
            expect(kvUsedBlocks + kvCachedBlocks).toBeLessThanOrEqual(14);
            expect(caching ? 0 : kvCachedBlocks).toBe(0);
            expect(running).toBeLessThanOrEqual(5);
          });
          expect(done.map((finish) => finish.id).toSorted((a, b) => a - b)).toEqual(requests.map((r) => r.id));
          for (const { id, tokenAtMs, firstTokenMs, endMs } of done) {
            const { outputTokens, arrivalMs } = requests[id]!;
            expect(tokenAtMs).toHaveLength(outputTokens);
            expect(tokenAtMs[0]).toBe(firstTokenMs);
            expect(tokenAtMs.at(-1)).toBe(endMs);
            expect(firstTokenMs).toBeGreaterThan(arrivalMs);
            tokenAtMs.slice(1).forEach((atMs, i) => expect(atMs).toBeGreaterThan(tokenAtMs[i]!));
          }
          const { generationTokensTotal, promptTokensTotal, kvUsedBlocks } = core.counters();
          expect(generationTokensTotal).toBe(requests.reduce((sum, r) => sum + r.outputTokens, 0));
          expect(promptTokensTotal).toBe(requests.reduce((sum, r) => sum + r.inputTokens, 0));
          expect(kvUsedBlocks).toBe(0);
        }),
        { numRuns: 40, seed: 21 },
      );
    },
  );

  it('work conservation: as long as a request is there, step follows step without a gap, and only an engine that says so rests', () => {
    fc.assert(
      fc.property(someRequests, fc.boolean(), (requests, caching) => {
        const core = new EngineCore({ profile: profileOf(variant, caching), seed: 3 });
        const steps = watch(core, requests);
        // A gap before a step means that nobody was there when the one before it ended.
        for (const [i, { startMs }] of steps.entries()) {
          const before = steps[i - 1];
          if (before === undefined || startMs === before.endMs) continue;
          const left = before.present.filter((id) => !before.emissions.some((one) => one.id === id && one.finished));
          expect(left).toEqual([]);
        }
        const worked = steps.filter(({ batchSize }) => batchSize > 0);
        const workedMs = worked.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
        expect(core.counters().busyMs).toBeCloseTo(workedMs, 6);
        if (variant.scheduler !== 'mindie') expect(worked).toHaveLength(steps.length);
        // Nothing is made twice and nothing for nobody.
        expect(steps.flatMap(({ emissions }) => emissions)).toHaveLength(
          requests.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
        );
      }),
      { numRuns: 25, seed: 24 },
    );
  });

  it('a token never comes before the step that makes it ends, nor from a step that began before its request arrived', () => {
    fc.assert(
      fc.property(someRequests, fc.boolean(), (requests, caching) => {
        const profile = profileOf(variant, caching);
        const steps = watch(new EngineCore({ profile, seed: 4 }), requests);
        for (const { startMs, endMs, present, emissions } of steps) {
          for (const { id } of emissions) {
            expect(present).toContain(id);
            expect(requests[id]!.arrivalMs).toBeLessThanOrEqual(startMs);
          }
          expect(new Set(emissions.map(({ id }) => id)).size).toBe(emissions.length);
          expect(endMs).toBeGreaterThan(startMs);
        }
        // Virtual time agrees: every token time it keeps is the end of a step.
        const done = drive(new EngineCore({ profile, seed: 4 }), requests, () => {});
        for (const { firstTokenMs, id } of done) expect(firstTokenMs).toBeGreaterThan(requests[id]!.arrivalMs);
      }),
      { numRuns: 25, seed: 25 },
    );
  });

  it('skipping of steady stretches changes nothing, to the last bit', () => {
    fc.assert(
      fc.property(someRequests, fc.integer(), fc.boolean(), (requests, seed, caching) => {
        const [skipping, asking] = [true, false].map((skipSteady) => {
          const core = new EngineCore({ profile: profileOf(variant, caching), seed, skipSteady });
          return { done: drive(core, requests, () => {}), counters: core.counters() };
        });
        expect(skipping).toEqual(asking);
      }),
      { numRuns: 40, seed: 22 },
    );
  });

  it('the scheduler is blind to true output lengths: what the engine does before the shorter of two answers ends does not hang on the longer one', () => {
    fc.assert(
      fc.property(someRequests, fc.integer({ min: 1, max: 30 }), (requests, more) => {
        const last = requests.at(-1)!;
        const longer = [...requests.slice(0, -1), { ...last, outputTokens: Math.min(45, last.outputTokens + more) }];
        const profile = profileOf(variant, false);
        const short = drive(new EngineCore({ profile, seed: 1 }), requests, () => {});
        const long = drive(new EngineCore({ profile, seed: 1 }), longer, () => {});
        const endMs = short.find((finish) => finish.id === last.id)!.endMs;
        const before = (list: Finish[]) => list.map(({ id, tokenAtMs }) => [id, tokenAtMs.filter((at) => at <= endMs)]);
        const byId = (a: unknown[], b: unknown[]): number => (a[0] as number) - (b[0] as number);
        expect(before(long).toSorted(byId)).toEqual(before(short).toSorted(byId));
      }),
      { numRuns: 25, seed: 23 },
    );
  });
});
