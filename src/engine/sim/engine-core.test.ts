import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Emission, EngineProfile, EngineRequest, Scheduler, Sequence } from './index.ts';
import { continuousFcfs, EngineCore } from './index.ts';

/** Round numbers, so that every expected time below can be worked out on paper. */
const plain: EngineProfile = {
  schema: 'llmdyno.engine-profile/1',
  name: 'plain',
  title: 'plain',
  model: 'plain',
  source: 'made up for tests',
  date: '2026',
  cost: { aMs: 10, cMsPerDecode: 1, p1MsPerPrefillToken: 0.5, kMsPer1000KvTokens: 0 },
  jitter: { stepSigma: 0 },
  maxBatchSize: 4,
  maxPrefillTokens: null,
  kv: null,
  notes: [],
};

/** All that the type lets a scheduler see of a sequence. */
const sights = ({ id, inputTokens, arrivalMs, computedTokens, preemptions, swapped }: Sequence): Sequence => ({
  id,
  inputTokens,
  arrivalMs,
  computedTokens,
  preemptions,
  swapped,
});

interface Made extends Emission {
  atMs: number;
}

/** Plays requests through a core by a virtual clock; looks at the core before and after every step. */
function play(core: EngineCore, requests: readonly EngineRequest[], look: (nowMs: number) => void = () => {}): Made[] {
  const queue = requests.toSorted((a, b) => a.arrivalMs - b.arrivalMs);
  const made: Made[] = [];
  let nowMs = 0;
  for (;;) {
    while (queue.length > 0 && queue[0]!.arrivalMs <= nowMs) core.submit(queue.shift()!);
    const step = core.beginStep(nowMs);
    look(nowMs);
    if (step === null) {
      if (queue.length === 0) return made;
      nowMs = queue[0]!.arrivalMs;
      continue;
    }
    expect(step.endMs).toBeGreaterThan(nowMs);
    nowMs = step.endMs;
    for (const emission of core.endStep()) made.push({ ...emission, atMs: nowMs });
    look(nowMs);
  }
}

const someRequests = fc
  .array(
    fc.record({
      inputTokens: fc.integer({ min: 1, max: 60 }),
      outputTokens: fc.integer({ min: 1, max: 40 }),
      arrivalMs: fc.integer({ min: 0, max: 2000 }),
    }),
    { minLength: 1, maxLength: 30 },
  )
  .map((list) => list.map((request, id): EngineRequest => ({ id, ...request })));

/** Small enough that preemption happens, large enough that every request above fits alone. */
const tight: EngineProfile = { ...plain, kv: { blocks: 13, blockSize: 8 }, jitter: { stepSigma: 0.2 } };

describe('one request alone', () => {
  it('takes a + p1·input for the first token and a + c for each that follows', () => {
    const made = play(new EngineCore({ profile: plain, seed: 1 }), [
      { id: 7, inputTokens: 100, outputTokens: 3, arrivalMs: 5 },
    ]);
    // 5 + 10 + 0.5·100 = 65; then 11 more for each token.
    expect(made).toEqual([
      { id: 7, tokenIndex: 0, finished: false, atMs: 65 },
      { id: 7, tokenIndex: 1, finished: false, atMs: 76 },
      { id: 7, tokenIndex: 2, finished: true, atMs: 87 },
    ]);
  });

  it('pays k for every thousand KV tokens that it decodes over', () => {
    const profile = { ...plain, cost: { ...plain.cost, kMsPer1000KvTokens: 4 } };
    const made = play(new EngineCore({ profile, seed: 1 }), [
      { id: 1, inputTokens: 999, outputTokens: 3, arrivalMs: 0 },
    ]);
    // Prefill 10 + 499.5; the second token attends to 1000 tokens (+4), the third to 1001 (+4.004).
    expect(made.map((m) => m.atMs)).toEqual([509.5, 524.5, expect.closeTo(539.504, 9)]);
  });
});

describe('a step', () => {
  it.each([
    ['a straight d(n)', {}],
    ['a bent one', { decodeCurve: [{ decodes: 3, ms: 3 }] }],
  ])('pays r for every prompt that it computes some of, and never for one that decodes, with %s', (_, bent) => {
    const cost = { ...plain.cost, ...bent, rMsPerPrompt: 7 };
    const scheduler = { name: 'vllm-v1', settings: { max_num_batched_tokens: 32, max_num_seqs: 4 } } as const;
    const core = new EngineCore({ profile: { ...plain, cost, scheduler }, seed: 1 });
    const made = play(core, [
      { id: 1, inputTokens: 20, outputTokens: 2, arrivalMs: 0 },
      { id: 2, inputTokens: 40, outputTokens: 1, arrivalMs: 0 },
    ]);
    // 20 and 12 tokens: 10 + 16 + 14; a decode and the other 28: 10 + 1 + 14 + 7.
    expect(made.map(({ id, atMs }) => [id, atMs])).toEqual([
      [1, 40],
      [1, 72],
      [2, 72],
    ]);
  });
});

describe('a full batch', () => {
  it('makes B/(a + cB) tokens per ms, within the prefill steps that interrupt it', () => {
    // 200 requests of 1 input and 200 output tokens at batch 4. A slot turns over every 200 tokens, and the prefill
    // of a newcomer costs p1 = 0.5 ms on a step of at least a = 10 ms and emits one token just as a decode does,
    // but costs no c: off by at most 1/200 of the tokens · (0.5 + 1)/14, below 0.1 %. The drain loses nothing: all end together.
    const requests = Array.from({ length: 200 }, (_, id) => ({ id, inputTokens: 1, outputTokens: 200, arrivalMs: 0 }));
    const made = play(new EngineCore({ profile: plain, seed: 1 }), requests);
    const tokensPerMs = made.length / made.at(-1)!.atMs;
    expect(made).toHaveLength(40_000);
    expect(tokensPerMs / (4 / 14)).toBeGreaterThan(0.999);
    expect(tokensPerMs / (4 / 14)).toBeLessThan(1.001);
  });

  it('is never exceeded, and later requests wait their turn', () => {
    const core = new EngineCore({ profile: plain, seed: 1 });
    const requests = Array.from({ length: 6 }, (_, id) => ({ id, inputTokens: 2, outputTokens: 2, arrivalMs: 0 }));
    const made = play(core, requests);
    // Step 1: four prefills, 10 + 0.5·8 = 14. Step 2: four decodes, 14 more = 28. Step 3: two prefills 12 = 40; step 4: two decodes 12 = 52.
    expect(made.map((m) => [m.id, m.atMs])).toEqual([
      ...[0, 1, 2, 3].map((id) => [id, 14]),
      ...[0, 1, 2, 3].map((id) => [id, 28]),
      ...[4, 5].map((id) => [id, 40]),
      ...[4, 5].map((id) => [id, 52]),
    ]);
  });

  it('takes prompts up to the prefill-token limit into one step, and a longer one alone', () => {
    const profile = { ...plain, maxPrefillTokens: 10 };
    const requests = [4, 6, 1, 50].map((inputTokens, id) => ({ id, inputTokens, outputTokens: 1, arrivalMs: 0 }));
    const made = play(new EngineCore({ profile, seed: 1 }), requests);
    // {4, 6} 15 ms; {1} 10.5 ms, for 50 would pass the limit; {50} 35 ms.
    expect(made.map((m) => [m.id, m.atMs])).toEqual([
      [0, 15],
      [1, 15],
      [2, 25.5],
      [3, 60.5],
    ]);
  });
});

describe('laws', () => {
  it('conservation: each request gives exactly its tokens, in order, and finishes once with the last', () => {
    fc.assert(
      fc.property(someRequests, fc.integer(), (requests, seed) => {
        const core = new EngineCore({ profile: tight, seed });
        const made = play(core, requests);
        for (const { id, outputTokens } of requests) {
          const own = made.filter((m) => m.id === id);
          expect(own.map((m) => m.tokenIndex)).toEqual(Array.from({ length: outputTokens }, (_, i) => i));
          expect(own.map((m) => m.finished)).toEqual(own.map((_, i) => i === outputTokens - 1));
        }
        const { promptTokensTotal, generationTokensTotal, running, waiting, kvUsedBlocks } = core.counters();
        expect(promptTokensTotal).toBe(requests.reduce((sum, r) => sum + r.inputTokens, 0));
        expect(generationTokensTotal).toBe(made.length);
        expect({ running, waiting, kvUsedBlocks }).toEqual({ running: 0, waiting: 0, kvUsedBlocks: 0 });
      }),
      { numRuns: 100, seed: 11 },
    );
  });

  it('causality: no first token before the arrival and a whole prefill step; a request makes one token per step', () => {
    fc.assert(
      fc.property(someRequests, (requests) => {
        const made = play(new EngineCore({ profile: { ...tight, jitter: { stepSigma: 0 } }, seed: 1 }), requests);
        for (const { id, inputTokens, arrivalMs } of requests) {
          const times = made.filter((m) => m.id === id).map((m) => m.atMs);
          expect(times[0]).toBeGreaterThanOrEqual(arrivalMs + 10 + 0.5 * inputTokens);
          times.slice(1).forEach((atMs, i) => expect(atMs - times[i]!).toBeGreaterThanOrEqual(11 - 1e-9));
        }
      }),
      { numRuns: 100, seed: 12 },
    );
  });

  it('KV: used + free = total at every moment, and a tight cache preempts without losing anything', () => {
    let preemptions = 0;
    fc.assert(
      fc.property(someRequests, (requests) => {
        const core = new EngineCore({ profile: tight, seed: 3 });
        play(core, requests, () => {
          const { kvUsedBlocks, kvTotalBlocks, kvUsageRatio } = core.counters();
          expect(kvTotalBlocks).toBe(13);
          expect(kvUsedBlocks).toBeGreaterThanOrEqual(0);
          expect(kvUsedBlocks).toBeLessThanOrEqual(13);
          expect(kvUsageRatio).toBeCloseTo(kvUsedBlocks / 13, 12);
        });
        preemptions += core.counters().preemptionsTotal;
      }),
      { numRuns: 100, seed: 13 },
    );
    expect(preemptions).toBeGreaterThan(0);
  });

  it('work conservation: while anything waits or runs, a step runs, and a free slot with a waiting request never stays free', () => {
    fc.assert(
      fc.property(someRequests, (requests) => {
        const core = new EngineCore({ profile: plain, seed: 1 });
        for (const request of requests) core.submit(request);
        for (let step = core.beginStep(0); step !== null; step = core.beginStep(step.endMs)) {
          const { running, waiting } = core.counters();
          expect(running).toBe(Math.min(4, running + waiting));
          core.endStep();
        }
        const { running, waiting } = core.counters();
        expect(running + waiting).toBe(0);
      }),
      { numRuns: 50, seed: 14 },
    );
  });

  it('determinism: the same seed gives the same times, to the last bit', () => {
    fc.assert(
      fc.property(someRequests, fc.integer(), (requests, seed) => {
        const once = play(new EngineCore({ profile: tight, seed }), requests);
        expect(play(new EngineCore({ profile: tight, seed }), requests)).toEqual(once);
      }),
      { numRuns: 50, seed: 15 },
    );
  });

  it('blindness: a scheduler sees nothing of the answer before it is made', () => {
    const seen: string[] = [];
    const plainScheduler = continuousFcfs(plain);
    const watching: Scheduler = {
      ...plainScheduler,
      form(board) {
        const waiting = Array.from({ length: board.waiting.length }, (_, i) => sights(board.waiting.at(i)));
        seen.push(JSON.stringify([waiting, board.running.map(sights), board.decodable, board.kv.free]));
        return plainScheduler.form(board);
      },
    };
    const looks = [5, 9].map((outputTokens) => {
      seen.length = 0;
      const core = new EngineCore({ profile: plain, seed: 1, scheduler: watching });
      play(core, [{ id: 1, inputTokens: 3, outputTokens, arrivalMs: 0 }]);
      return seen.slice(0, 5);
    });
    // Answers of 5 and of 9 tokens look the same to it for as long as both are being made.
    expect(looks[0]).toHaveLength(5);
    expect(looks[1]).toEqual(looks[0]);
  });
});

describe('cancel', () => {
  it('frees slot and blocks at once, even in mid-step, and silences the request', () => {
    const core = new EngineCore({ profile: { ...plain, kv: { blocks: 10, blockSize: 4 } }, seed: 1 });
    core.submit({ id: 1, inputTokens: 8, outputTokens: 5, arrivalMs: 0 });
    core.submit({ id: 2, inputTokens: 4, outputTokens: 1, arrivalMs: 0 });
    core.beginStep(0);
    expect(core.counters().kvUsedBlocks).toBe(3);
    expect(core.cancel(1)).toBe(true);
    expect(core.cancel(1)).toBe(false);
    expect(core.counters()).toMatchObject({ running: 1, kvUsedBlocks: 1 });
    expect(core.endStep()).toEqual([{ id: 2, tokenIndex: 0, finished: true }]);
    expect(core.beginStep(100)).toBeNull();
  });

  it('leaves what could never fit outside', () => {
    const core = new EngineCore({ profile: { ...plain, kv: { blocks: 2, blockSize: 4 } }, seed: 1 });
    expect(core.fits(5, 3)).toBe(true);
    expect(core.fits(5, 4)).toBe(false);
  });
});

describe('jitter', () => {
  it('spreads the steps by its sigma and keeps their mean', () => {
    const profile = { ...plain, jitter: { stepSigma: 0.1 } };
    const made = play(new EngineCore({ profile, seed: 5 }), [
      { id: 1, inputTokens: 1, outputTokens: 20_001, arrivalMs: 0 },
    ]);
    const steps = made.slice(1).map((m, i) => m.atMs - made[i]!.atMs);
    const mean = steps.reduce((sum, ms) => sum + ms, 0) / steps.length;
    const logs = steps.map((ms) => Math.log(ms));
    const logMean = logs.reduce((sum, x) => sum + x, 0) / logs.length;
    const logSd = Math.sqrt(logs.reduce((sum, x) => sum + (x - logMean) ** 2, 0) / logs.length);
    // Standard errors over 20,000 steps: 11·0.1/√20000 = 0.008 and 0.1/√40000 = 0.0005; four of them are allowed.
    expect(Math.abs(mean - 11)).toBeLessThan(0.032);
    expect(Math.abs(logSd - 0.1)).toBeLessThan(0.002);
  });
});
