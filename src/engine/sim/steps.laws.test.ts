import { expect, test } from 'vitest';
import { linearCost } from './cost/linear-cost.ts';
import { EngineCore } from './engine-core.ts';
import type { EngineProfile } from './engine-profile.ts';
import { Front } from './front/front.ts';
import { builtinProfile, defaultProfileName } from './index.ts';
import { StageForecast } from './scheduler/stage-forecast.ts';
import { ServedEngine } from './served-engine.ts';

/** Steps of 10 ms for up to two requests, whatever they hold. */
const plain: EngineProfile = {
  ...builtinProfile(defaultProfileName),
  cost: { aMs: 10, cMsPerDecode: 0, p1MsPerPrefillToken: 0, kMsPer1000KvTokens: 0 },
  jitter: { stepSigma: 0 },
  maxBatchSize: 2,
  maxPrefillTokens: null,
  kv: null,
  scheduler: { name: 'vllm-v1', settings: {} },
};
const asked = (id: number, arrivalMs: number, outputTokens = 1) => ({ id, inputTokens: 10, outputTokens, arrivalMs });

test('a step takes what its parts take, each by its own rate', () => {
  const cost = { aMs: 1, cMsPerDecode: 2, p1MsPerPrefillToken: 3, kMsPer1000KvTokens: 4000 };
  const load = { decodes: 0, prompts: 0, prefillTokens: 0, kvTokens: 0, prefillAttention: 0 };
  const more = { ...cost, rMsPerPrompt: 5, mMsPerMillionAttention: 6e6 };
  const parts = (['decodes', 'prefillTokens', 'kvTokens', 'prompts', 'prefillAttention'] as const).map((name) =>
    [cost, more, { ...more, decodeCurve: [{ decodes: 10, ms: 70 }] }].map((one) =>
      linearCost(one).stepMs({ ...load, [name]: 10 }),
    ),
  );
  expect(parts).toEqual([
    [21, 21, 71],
    [31, 31, 31],
    [41, 41, 41],
    [1, 51, 51],
    [1, 61, 61],
  ]);
});

test('a curve of decodes is straight from nothing to its first knot, between knots, and behind the last by its slope', () => {
  const decodeCurve = [
    { decodes: 4, ms: 8 },
    { decodes: 8, ms: 10 },
    { decodes: 16, ms: 34 },
  ];
  const { stepMs } = linearCost({ ...plain.cost, cMsPerDecode: 2, decodeCurve });
  const at = (decodes: number) =>
    stepMs({ decodes, prompts: 0, prefillTokens: 0, kvTokens: 0, prefillAttention: 0 }) - 10;
  expect([0, 2, 4, 6, 8, 12, 16, 20].map(at)).toEqual([0, 4, 8, 9, 10, 22, 34, 42]);
});

test('MindIE expects what its settings say, then the mean, then the plane through the steps that were', () => {
  const forecast = new StageForecast({ prefillTimeMsPerReq: 150, decodeTimeMsPerReq: 50 });
  const both = () => [forecast.prefillMs(300), forecast.decodeMs(30, 500)];
  expect(both()).toEqual([150, 50]);
  forecast.learn(7);
  const step = (form: () => void, ms: number | null) => {
    form();
    forecast.learn(ms);
  };
  step(() => forecast.formedPrefill(100), 20);
  step(() => forecast.formedPrefill(100), null);
  step(() => forecast.formedDecode(10, 100), 31);
  expect(both()).toEqual([20, 31]);
  step(() => forecast.formedDecode(10, 100), 33);
  expect(both()).toEqual([20, 32]);
  // 10 ms and a tenth a token; 5 ms, 2 a sequence and 0.01 a block.
  step(() => forecast.formedPrefill(200), 30);
  expect(forecast.prefillMs(300)).toBeCloseTo(40, 9);
  const decode = new StageForecast({ prefillTimeMsPerReq: 1, decodeTimeMsPerReq: 1 });
  for (const [sequences, blocks] of [
    [10, 100],
    [20, 100],
    [10, 300],
  ] as const) {
    decode.formedDecode(sequences, blocks);
    decode.learn(5 + 2 * sequences + 0.01 * blocks);
  }
  expect(decode.decodeMs(30, 500)).toBeCloseTo(70, 6);
  // More tokens that take less time are no plane: the mean.
  const falling = new StageForecast({ prefillTimeMsPerReq: 1, decodeTimeMsPerReq: 1 });
  for (const [tokens, ms] of [
    [100, 40],
    [200, 20],
  ] as const) {
    falling.formedPrefill(tokens);
    falling.learn(ms);
  }
  expect(falling.prefillMs(300)).toBe(30);
});

test('a prompt is tokenised after its first pass of the loop, and passes it three times more', () => {
  const front = new Front({ tokenizeMsPerToken: 0.01, promptMsPerToken: 0.002, requestMs: 0.5, stepMs: 1, tokenMs: 0 });
  front.take(7, 0, 100);
  const seen: number[] = [];
  let through = null;
  while (through === null) {
    seen.push(front.nextMs());
    through = front.pass();
  }
  expect(seen).toEqual([0, 1.5, expect.closeTo(2.2, 9), expect.closeTo(2.7, 9)]);
  expect(through).toEqual({ id: 7, atMs: expect.closeTo(3.2, 9) });
  expect([front.nextMs(), front.busyMs]).toEqual([Infinity, expect.closeTo(3.2, 9)]);
  expect(front.backlogRatio).toBe(0);
  // The second step waits 1 ms for the first, of 2 ms that both take.
  front.deliver(10, 4);
  front.deliver(10, 4);
  expect(front.backlogRatio).toBeCloseTo(0.5, 9);
});

test('who waits and who runs, in the mean over the steps, and what kept them out', () => {
  const core = new EngineCore({ profile: plain, seed: 1 });
  for (const id of [0, 1, 2]) core.submit(asked(id, 0, 2));
  let nowMs = 0;
  for (let step = core.beginStep(nowMs); step !== null; step = core.beginStep(nowMs)) {
    nowMs = step.endMs;
    core.endStep();
  }
  // Two steps with two and one who waits, then two with the third alone.
  expect(nowMs).toBe(40);
  expect(core.counters()).toMatchObject({
    stepsTotal: 4,
    busyMs: 40,
    waitingMean: 0.5,
    runningMean: 1.5,
    runningMost: 2,
    limitedMs: { batch: 20, kv: 0, prefill: 0 },
    promptTokensTotal: 30,
    generationTokensTotal: 6,
  });
  expect(new EngineCore({ profile: plain, seed: 1 }).counters()).toMatchObject({ waitingMean: 0, runningMean: 0 });
});

test('one who leaves before the next step sees it takes nobody along', () => {
  const ahead = { ...plain, scheduler: { name: 'vllm-v1', settings: { async_scheduling: true } } } as EngineProfile;
  const core = new EngineCore({ profile: ahead, seed: 1 });
  core.submit(asked(0, 0, 5));
  core.beginStep(0);
  for (const id of [1, 2, 3]) core.submit(asked(id, 5));
  expect([core.cancel(2), core.cancel(2), core.cancel(9)]).toEqual([true, false, false]);
  const ended: number[] = [];
  for (let finishes = core.advance(Infinity); finishes.length > 0; finishes = core.advance(Infinity))
    ended.push(...finishes.map(({ id }) => id));
  expect(ended.toSorted()).toEqual([0, 1, 3]);
});

test('one who leaves on the way in takes nobody along, whoever came before', () => {
  const engine = new ServedEngine(new EngineCore({ profile: plain, seed: 1 }), 0);
  for (const [id, arrivalMs] of [
    [0, 0],
    [1, 100],
    [2, 200],
    [3, 300],
  ] as const)
    engine.send(asked(id, arrivalMs));
  // Sent later for an earlier time.
  engine.send(asked(4, 150));
  expect(engine.advance(50).map(({ id }) => id)).toEqual([0]);
  engine.cancel(2, 50);
  const ended: [number, number][] = [];
  for (let finishes = engine.advance(Infinity); finishes.length > 0; finishes = engine.advance(Infinity))
    ended.push(...finishes.map(({ id, endMs }): [number, number] => [id, endMs]));
  expect(ended).toEqual([
    [1, 110],
    [4, 160],
    [3, 310],
  ]);
});
