// What one process in front of an engine does to those who wait for it, worked out on paper.
import { describe, expect, it } from 'vitest';
import { EngineCore } from '../engine-core.ts';
import type { EngineProfile } from '../engine-profile.ts';
import { limitOf } from '../engine-story.ts';
import { ServedEngine } from '../served-engine.ts';
import { Front } from './front.ts';

const cost = { tokenizeMsPerToken: 0.01, promptMsPerToken: 0.002, requestMs: 0.5, stepMs: 1, tokenMs: 0.25 };

/** When each of these prompts, all sent at 0, is through the front. */
function through(front: Front, prompts: readonly number[]): number[] {
  const atMs: number[] = [];
  for (const [id, tokens] of prompts.entries()) front.take(id, 0, tokens);
  while (front.nextMs() < Infinity) {
    const passed = front.pass();
    if (passed !== null) atMs[passed.id] = passed.atMs;
  }
  return atMs;
}

describe('a front', () => {
  it('lets a lone request pass its loop, its tokeniser, and its loop three times more', () => {
    // 0.5, then 100 × 0.01, then 0.5 + 100 × 0.002, then 0.5 twice.
    expect(through(new Front(cost), [100])[0]).toBeCloseTo(0.5 + 1 + 0.7 + 0.5 + 0.5, 9);
  });

  it('takes the loop once more for each answer that is over, behind its last token', () => {
    const front = new Front(cost);
    expect(front.deliver(10, 4, 3)).toBe(12);
    expect(front.deliver(11, 4)).toBe(12 + 3 * 0.5 + 2);
  });

  it('tokenises one prompt after the other: those of a burst come through as far apart as one takes', () => {
    const atMs = through(new Front({ ...cost, requestMs: 0, promptMsPerToken: 0 }), [1000, 1000, 1000]);
    expect(atMs.map((ms) => Math.round(ms))).toEqual([10, 20, 30]);
  });

  it('delivers a step when it is done with all its tokens, and the next one after that', () => {
    const front = new Front(cost);
    expect(front.deliver(10, 4)).toBe(12);
    expect(front.deliver(11, 4)).toBe(14);
    expect(front.deliver(20, 0)).toBe(21);
  });

  it('puts a small step that waits into one piece with the one before it, which has not begun, and a large one not', () => {
    // 40 tokens take 11 ms. The second waits; the third comes before it has begun, and its tokens take 0.3 of the time.
    const small = new Front(cost);
    expect([0, 1, 2].map((atMs) => small.deliver(atMs, 40))).toEqual([11, 22, expect.closeTo(22 + 1 + 3, 9)]);
    const large = new Front(cost);
    expect([0, 1, 2].map((atMs) => large.deliver(atMs, 200))).toEqual([51, 102, 153]);
  });

  it('keeps requests waiting behind the tokens that it is busy with', () => {
    const front = new Front(cost);
    front.deliver(0, 40);
    expect(through(front, [100])[0]).toBeCloseTo(11 + 3.2, 9);
  });
});

const profile: EngineProfile = {
  schema: 'llmdyno.engine-profile/1',
  name: 'law',
  title: 'law',
  model: 'law',
  source: 'made up for tests',
  date: '2026',
  cost: { aMs: 5, cMsPerDecode: 0, p1MsPerPrefillToken: 0.02, kMsPer1000KvTokens: 0 },
  jitter: { stepSigma: 0 },
  maxBatchSize: 64,
  maxPrefillTokens: 8192,
  kv: null,
  scheduler: { name: 'vllm-v1', settings: { async_scheduling: true } },
  notes: [],
};

/** Times of the tokens of requests that are sent at these moments, each with 100 prompt tokens and so many of answer. */
function served(engine: EngineProfile, sentMs: readonly number[], outputTokens: number) {
  const core = new EngineCore({ profile: engine, seed: 1 });
  const door = new ServedEngine(core, 0);
  for (const [id, arrivalMs] of sentMs.entries()) door.send({ id, inputTokens: 100, outputTokens, arrivalMs });
  const times: number[][] = [];
  while (times.flat().length < sentMs.length * outputTokens)
    for (const { id, tokenAtMs } of door.advance(Infinity)) times[id] = tokenAtMs;
  return { times, counters: core.counters() };
}

describe('an engine behind it', () => {
  it('is as quick as alone where the front takes no time', () => {
    const free = { tokenizeMsPerToken: 0, requestMs: 0, stepMs: 0, tokenMs: 0 };
    const sentMs = [0, 3, 11, 12, 40];
    expect(served({ ...profile, front: free }, sentMs, 12).times).toEqual(served(profile, sentMs, 12).times);
  });

  it('is not slowed by a front that lags: it makes its tokens at its own pace, and clients have them later', () => {
    // 160 sequences take the front 40 + 1 ms a step where the engine takes 5, and are too many to go out in one piece with those of the step before.
    const sentMs = Array.from({ length: 160 }, () => 0);
    const full = { ...profile, maxBatchSize: 256, front: { ...cost, tokenizeMsPerToken: 0 } };
    const { times, counters } = served(full, sentMs, 100);
    expect(counters.busyMs).toBeLessThan(1000);
    expect(Math.max(...times.flat())).toBeGreaterThan(1000);
    expect(limitOf(counters)).toBe('front');
  });

  it('says that nothing limits a load that all of it can bear', () => {
    expect(limitOf(served({ ...profile, front: cost }, [0, 100, 200], 5).counters)).toBeNull();
  });
});

describe('a launch that holds the engine’s thread', () => {
  const launch = { ms: 20 };

  it('keeps the tokens of the step before, which is done, until the step with the prompt is launched', () => {
    // Alone: 7 ms for the prompt (launched in 20), then 5 ms a step. The second comes at 31.
    const [first] = served({ ...profile, launch }, [0, 31], 12).times;
    const gaps = first!.slice(1).map((ms, i) => ms - first![i]!);
    expect(first![0]).toBe(20);
    expect(gaps.filter((gap) => gap > 15)).toHaveLength(1);
    expect(Math.max(...gaps)).toBeCloseTo(20, 9);
  });

  it('is the other time for a step small enough to run as graphs', () => {
    const [first] = served({ ...profile, launch: { ms: 20, graphTokens: 100, graphMs: 9 } }, [0], 3).times;
    expect(first![0]).toBe(9);
  });

  it('says what limited it: the batch, where more wait than it holds', () => {
    const { counters } = served({ ...profile, maxBatchSize: 2 }, [0, 0, 0, 0, 0, 0], 20);
    expect(limitOf(counters)).toBe('batch');
  });
});
