import { describe, expect, test } from 'vitest';
import { randomStream, UserError } from '../../core/index.ts';
import { DeadlineHeap } from './deadline-heap.ts';
import { EngineCore } from './engine-core.ts';
import type { EngineProfile } from './engine-profile.ts';
import { FinishHeap } from './finish-heap.ts';
import { builtinProfile, defaultProfileName, readProfile } from './index.ts';
import { KvBlocks } from './kv/kv-blocks.ts';
import { launchMs } from './launch.ts';
import { saturationOf } from './saturation.ts';
import { filledSettings, schedulers, settingMistakes } from './scheduler/schedulers.ts';
import type { SchedulerName, SettingRule } from './scheduler/schedulers.ts';
import { CoreSequence } from './sequence.ts';
import { ServedEngine } from './served-engine.ts';
import { coldFactor, faultTimeoutMs, parseSimFault, runawayTokens, starvedProfile } from './sim-fault.ts';
import { drawOutputTokens, estimateTokens, isCjk, isMostlyCjk, wishedTokens } from './token-estimate.ts';

const good = builtinProfile(defaultProfileName);
const plain: EngineProfile = {
  ...good,
  cost: { aMs: 10, cMsPerDecode: 0, p1MsPerPrefillToken: 0, kMsPer1000KvTokens: 0 },
  jitter: { stepSigma: 0 },
  maxBatchSize: 7,
  maxPrefillTokens: null,
  kv: null,
  kvBytesPerTokenPerCard: 65_536,
};

/** Whole numbers that a setting takes, and what it is where nobody says; the servers' own documents. */
const settings: [SchedulerName, string, number, number, unknown][] = [
  ['vllm-v1', 'max_num_seqs', 1, 2 ** 31 - 1, 7],
  ['vllm-v1', 'max_num_batched_tokens', 1, 2 ** 31 - 1, 8192],
  ['vllm-v1', 'long_prefill_token_threshold', 0, 2 ** 31 - 1, 0],
  ['vllm-v0', 'num_cpu_blocks', 0, 2 ** 31 - 1, 0],
  ['mindie', 'maxBatchSize', 1, 819_200, 7],
  ['mindie', 'maxPrefillBatchSize', 0, 819_200, 50],
  ['mindie', 'maxPrefillTokens', 1, 4_194_304, 8192],
  ['mindie', 'maxQueueDelayMicroseconds', 500, 1_000_000, 5000],
  ['mindie', 'prefillTimeMsPerReq', 0, 1000, 150],
  ['mindie', 'decodeTimeMsPerReq', 0, 1000, 50],
  ['mindie', 'stageSelectPolicy', 0, 2, 0],
  ['mindie', 'prefillExpectedTime', 1, 10_000, 1500],
  ['mindie', 'decodeExpectedTime', 1, 10_000, 50],
  ['mindie', 'maxPreemptCount', 0, 819_200, 0],
  ['mindie', 'cpuBlocks', 0, 2 ** 31 - 1, 0],
  ['sglang', 'max_running_requests', 1, 2 ** 31 - 1, 7],
  ['sglang', 'max_prefill_tokens', 1, 2 ** 31 - 1, 16_384],
  ['sglang', 'chunked_prefill_size', -1, 2 ** 31 - 1, 8192],
  ['static', 'maxBatchSize', 1, 2 ** 31 - 1, 7],
];
test('a setting of a server takes its range and nothing beside it, and has that server’s own default', () => {
  const told = settings.map(([name, key]) => {
    const rules: Readonly<Record<string, SettingRule>> = schedulers[name].settings;
    const takes = (value: number) => settingMistakes(name, { [key]: value }).length === 0;
    const { least, most } = rules[key]!;
    const edges = [takes(least!), takes(least! - 1), takes(most!), takes(most! + 1)];
    expect([name, key, ...edges]).toEqual([name, key, true, false, true, false]);
    return [name, key, least, most, filledSettings(plain, name, {})[key]];
  });
  expect(told).toEqual(settings);
  expect(
    settingMistakes('vllm-v0', { watermark: 1.01 }).length + settingMistakes('vllm-v0', { watermark: 1 }).length,
  ).toBe(1);
});

test('vLLM’s swap space is 4 GiB in blocks of the profile, and none where a block’s bytes are not known', () => {
  const kv = { blocks: 100, blockSize: 16 };
  const blocks = (profile: EngineProfile) => filledSettings(profile, 'vllm-v0', {})['num_cpu_blocks'];
  // 64 KiB a token: a block of 16 is 1 MiB.
  expect([blocks({ ...plain, kv }), blocks(plain)]).toEqual([4096, 0]);
  const { kvBytesPerTokenPerCard: _, ...unknown } = { ...plain, kv };
  expect(blocks(unknown)).toBe(0);
});

describe('a profile’s fields', () => {
  const fails = (changes: object): string[] => {
    try {
      readProfile({ ...good, ...changes });
      return [];
    } catch (error) {
      return (error as UserError).mistakes.map(({ place }) => String((place as { field?: string }).field));
    }
  };
  const knots = (count: number, first = 1) => Array.from({ length: count }, (_, i) => ({ decodes: first + i, ms: i }));
  const other = { cost: good.cost };
  const doubt = (others: number) => ({
    fit: { ...good.fit, doubt: { errors: { ttft: 0.1 }, others: Array.from({ length: others }, () => other) } },
  });
  const reach = { promptTokens: [0, 1e9], outputTokens: [1, 2], inFlight: 1e6, cachedShare: 1 };
  test('are taken at their limits', () => {
    expect(
      [
        { maxBatchSize: 1, kv: { blocks: 1, blockSize: 1e9 }, jitter: { stepSigma: 2, runSigma: 0 } },
        { maxBatchSize: 1e9, overheadMs: 0, kvBytesPerTokenPerCard: 1 },
        { cost: { ...good.cost, aMs: 0.001, cMsPerDecode: 1e6, decodeCurve: knots(100) } },
        { title: 'x'.repeat(1000), launch: { ms: 0, graphTokens: 1, graphMs: 1e6 } },
        doubt(1),
        doubt(20),
        { fit: { ...good.fit, reach } },
      ].map(fails),
    ).toEqual([[], [], [], [], [], [], []]);
  });
  test('are refused one beyond, by name', () => {
    expect(
      [
        { maxBatchSize: 0 },
        { maxBatchSize: 1e9 + 1 },
        { jitter: { stepSigma: 2.01 } },
        { cost: { ...good.cost, aMs: 0 } },
        { cost: { ...good.cost, decodeCurve: knots(101) } },
        { cost: { ...good.cost, decodeCurve: knots(3, 0) } },
        { cost: { ...good.cost, decodeCurve: [...knots(2), { decodes: 2, ms: 5 }] } },
        { cost: { ...good.cost, decodeCurve: [{ decodes: 1, ms: -1 }] } },
        { title: 'x'.repeat(1001) },
        { overheadMs: 1e6 + 1 },
        doubt(0),
        doubt(21),
        { fit: { ...good.fit, reach: { ...reach, cachedShare: 1.1, promptTokens: [0] } } },
        { notes: [5] },
      ].map(fails),
    ).toEqual([
      ['maxBatchSize'],
      ['maxBatchSize'],
      ['jitter.stepSigma'],
      ['cost.aMs'],
      ['cost.decodeCurve'],
      ['cost.decodeCurve'],
      ['cost.decodeCurve'],
      ['cost.decodeCurve'],
      ['title'],
      ['overheadMs'],
      ['fit.doubt.others'],
      ['fit.doubt.others'],
      ['fit.reach.promptTokens', 'fit.reach.cachedShare'],
      ['notes'],
    ]);
  });
});

test('heaps give in order, whatever the order in', () => {
  const random = randomStream(5, 'heaps');
  for (let round = 0; round < 60; round++) {
    const due = new DeadlineHeap<number>();
    const finish = new FinishHeap();
    const keys: number[] = [];
    const out: number[] = [];
    const done: number[] = [];
    for (let i = 0; i < 40; i++) {
      if (keys.length > 0 && random.below(3) === 0) {
        const least = Math.min(...keys);
        keys.splice(keys.indexOf(least), 1);
        out.push(
          due.peek()!.atMs - least,
          due.pop()!.atMs - least,
          finish.next() - least,
          finish.pop().finishAt - least,
        );
        done.push(0, 0, 0, 0);
        continue;
      }
      const key = random.below(30);
      keys.push(key);
      due.push({ atMs: key, what: i });
      const sequence = new CoreSequence(i, 1, 1, 0, null, 0);
      Object.assign(sequence, { state: 'decoding', finishAt: key });
      finish.push(sequence);
    }
    expect(out).toEqual(done);
  }
  expect([new DeadlineHeap().peek(), new DeadlineHeap().pop(), new FinishHeap().next()]).toEqual([
    null,
    null,
    Infinity,
  ]);
});

test('KV blocks: as many as there are, the last one included, and the most that were ever taken', () => {
  const kv = new KvBlocks({ blocks: 10, blockSize: 16 });
  expect([0, 1, 16, 17].map((tokens) => kv.blocksFor(tokens))).toEqual([0, 1, 1, 2]);
  expect([kv.couldHold(160), kv.couldHold(161)]).toEqual([true, false]);
  expect([kv.take(11), kv.take(10), kv.take(1), kv.free, kv.usageRatio, kv.peak]).toEqual([
    false,
    true,
    false,
    0,
    1,
    10,
  ]);
  kv.give(6);
  expect([kv.used, kv.free, kv.usageRatio, kv.peak]).toEqual([4, 6, 0.4, 10]);
  kv.give(4);
  expect(() => kv.give(1)).toThrow('no more KV blocks');
  const endless = new KvBlocks({ blocks: null, blockSize: 1 });
  expect([endless.couldHold(1e12), endless.take(1e9), endless.free, endless.usageRatio]).toEqual([
    true,
    true,
    Infinity,
    null,
  ]);
  expect(() => new KvBlocks({ blocks: 0, blockSize: 16 })).toThrow('blocks of some size');
  expect(() => new KvBlocks({ blocks: 1, blockSize: 0 })).toThrow('blocks of some size');
});

test('a launch costs where there are prompts, and its graph’s time up to the graph’s size', () => {
  const cost = { ms: 20, graphTokens: 100, graphMs: 9 };
  const at = (decodes: number, prefillTokens: number) => launchMs(cost, { decodes, prefillTokens } as never);
  expect([at(50, 0), at(0, 100), at(1, 99), at(1, 100), at(0, 101)]).toEqual([0, 9, 9, 20, 20]);
  expect(launchMs({ ms: 20 }, { decodes: 0, prefillTokens: 1 } as never)).toBe(20);
});

test('backlogged: more in flight than the batch holds, or more than one in twenty waiting', () => {
  const of = (waitingMean: number, runningMean: number, concurrency: number | null = 8) =>
    saturationOf('stable', { isOpen: false, concurrency, maxBatchSize: 8 }, { waitingMean, runningMean });
  expect([of(1, 19), of(1.1, 18.9), of(0, 8, 9), of(0, 8, null)]).toEqual([
    'stable',
    'backlogged',
    'backlogged',
    'stable',
  ]);
  const closed = { isOpen: false, concurrency: 8, maxBatchSize: 8 };
  expect([
    saturationOf('stable', closed, null),
    saturationOf('overloaded', { ...closed, concurrency: 9 }, null),
    saturationOf('unknown', { ...closed, isOpen: true, concurrency: 9 }, null),
  ]).toEqual(['stable', 'overloaded', 'unknown']);
});

describe('faults to order', () => {
  test('are read with the number of their request, where they strike one', () => {
    expect(
      ['stuck-request', 'stuck-request:1', 'runaway-generation:999999999', 'cold-start', 'none'].map(parseSimFault),
    ).toEqual([
      { name: 'stuck-request', request: 40 },
      { name: 'stuck-request', request: 1 },
      { name: 'runaway-generation', request: 999_999_999 },
      { name: 'cold-start', request: 40 },
      null,
    ]);
    for (const text of [
      'stuck-request:0',
      'stuck-request:1:2',
      'cold-start:3',
      'stuck-request:1234567890',
      'stuck-request:',
    ])
      expect(() => parseSimFault(text)).toThrow(UserError);
  });
  test('have the size that is said of them', () => {
    const of = (...names: Parameters<typeof parseSimFault>) => [parseSimFault(names[0])!];
    expect([
      faultTimeoutMs(of('client-timeout')),
      faultTimeoutMs(of('stuck-request')),
      faultTimeoutMs(of('cold-start')),
    ]).toEqual([30_000, 120_000, null]);
    expect(faultTimeoutMs([...of('stuck-request'), ...of('client-timeout')])).toBe(30_000);
    expect([runawayTokens(10), runawayTokens(1170), runawayTokens(1171), runawayTokens(5000)]).toEqual([
      80, 9360, 9363, 13_192,
    ]);
    expect(coldFactor(0)).toBe(60);
    expect([coldFactor(6), coldFactor(600)]).toEqual([expect.closeTo(1 + 59 / Math.E, 9), expect.closeTo(1, 9)]);
    expect(starvedProfile(good, of('cold-start'))).toBe(good);
    expect(starvedProfile(good, of('decode-starvation')).scheduler).toMatchObject({
      name: 'mindie',
      settings: { maxPrefillBatchSize: 1, backendType: 'ms' },
    });
  });
});

describe('what a text takes in tokens', () => {
  test('0.7 for a character of Chinese, Japanese or Korean, a quarter for any other, and at least one', () => {
    expect([
      estimateTokens(''),
      estimateTokens('abcd'),
      estimateTokens('a'.repeat(400)),
      estimateTokens('中'.repeat(10)),
    ]).toEqual([1, 1, 100, 7]);
    expect(
      [0x2e7f, 0x2e80, 0xd7ff, 0xd800, 0xf8ff, 0xf900, 0xfaff, 0xfb00, 0xfeff, 0xff00, 0xffef, 0xfff0].map(isCjk),
    ).toEqual([false, true, true, false, false, true, true, false, false, true, true, false]);
    expect([isMostlyCjk('中abc'), isMostlyCjk('中ab')]).toEqual([false, true]);
  });
  test('a wish for a length is heard at the end of a prompt, and long wishes are met by half', () => {
    // 700 tokens wished for are 350 written.
    expect([
      wishedTokens('write 700 words'),
      wishedTokens('write 2800 characters'),
      wishedTokens('写 1000 个字'),
    ]).toEqual([350, 350, 350]);
    expect([
      wishedTokens('写 1000 characters'),
      wishedTokens('about 700 lines'),
      wishedTokens(`700 words${' '.repeat(152)}`),
    ]).toEqual([expect.closeTo((250 * 700) / 950, 9), null, null]);
    expect(wishedTokens(`700 words${' '.repeat(151)}`)).toBe(350);
  });
  test('an answer has no more tokens than its limit and no fewer than asked; without an end it has all of them', () => {
    const drawn = (limits: object) =>
      Array.from({ length: 200 }, (_, key) =>
        drawOutputTokens(1, key, { maxTokens: null, minTokens: null, ignoreEos: false, ...limits }),
      );
    expect(new Set(drawn({ maxTokens: 50, ignoreEos: true }))).toEqual(new Set([50]));
    expect(new Set(drawn({ ignoreEos: true }))).toEqual(new Set([2048]));
    expect([Math.max(...drawn({ maxTokens: 100 })), Math.min(...drawn({ minTokens: 300 }))]).toEqual([100, 300]);
    expect(new Set(drawn({ maxTokens: 0 }))).toEqual(new Set([1]));
    // Half of them below the median of 200, and half of the wished ones below the wish.
    const below = (list: number[], value: number) => list.filter((tokens) => tokens < value).length;
    expect(Math.abs(below(drawn({}), 200) - 100)).toBeLessThan(30);
    expect(Math.abs(below(drawn({ wishedTokens: 90 }), 90) - 100)).toBeLessThan(30);
    const wished = drawn({ wishedTokens: 90 });
    expect(below(wished, 60) + 200 - below(wished, 140)).toBeLessThan(5);
  });
});

test('a request is taken out wherever it is: on its way in, in the engine, and on its way out', () => {
  const front = { tokenizeMsPerToken: 1, requestMs: 1, stepMs: 100, tokenMs: 0 };
  const core = new EngineCore({ profile: { ...plain, front }, seed: 1 });
  const engine = new ServedEngine(core, 0);
  for (const id of [0, 1, 2]) engine.send({ id, inputTokens: 10, outputTokens: 1, arrivalMs: id === 2 ? 500 : 0 });
  // In the engine from 13 and 23 ms on, out of it at 23 and 33, heard 100 ms later each.
  expect(engine.advance(30)).toEqual([]);
  expect(engine.cancel(0, 30)).toEqual([]);
  expect(engine.cancel(2, 30)).toEqual([]);
  const heard = engine.advance(Infinity);
  expect(heard.map(({ id }) => id)).toEqual([1]);
  expect(engine.advance(Infinity)).toEqual([]);
  expect(core.counters().running + core.counters().waiting).toBe(0);
});
