import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiNames } from '../../src/core/index.ts';
import type { ApiName, Ended, Prompt } from '../../src/core/index.ts';
import { startEngine } from '../../src/engine/http/index.ts';
import type { QuirkName, RunningEngine } from '../../src/engine/http/index.ts';
import { makeLoadRunner } from '../../src/client/load/index.ts';
import { addressFor, readAddress } from '../../src/client/protocol/index.ts';
import { builtinProfile, defaultProfileName } from '../../src/engine/sim/index.ts';
import { fromPrompts, plainPrompt } from '../../src/inputs/workload/index.ts';
import { smallPlan } from './runner-contract.ts';
import { unrehearsed } from './unrehearsed.ts';

const model = 'qwq-32b';
const profile = builtinProfile(defaultProfileName);
const prompt = 'Why is the sky blue? Explain it to a child.';

/** Asks one thing over one wire. */
async function ask(
  engine: RunningEngine,
  api: ApiName,
  stream: boolean,
  maxTokens: number,
  path = '',
  said: { prompt?: Prompt; body?: Record<string, unknown> } = {},
): Promise<Ended> {
  const address = addressFor(readAddress(engine.url + path, api), model, stream);
  const base = smallPlan(engine.url);
  const plan = {
    ...base,
    target: { ...base.target, url: address.url, api, model },
    generation: { ...base.generation, stream, maxTokens, ignoreEos: false, body: said.body ?? {} },
    requests: 1,
    warmup: null,
    keepText: true,
    load: {
      ...base.load,
      kind: 'closed' as const,
      concurrency: 1,
      ratePerSec: null,
      arrival: { process: 'closed' as const },
    },
  };
  const runner = makeLoadRunner({
    rehearsal: unrehearsed,
    secrets: {},
    workload: () => fromPrompts([said.prompt ?? plainPrompt('one', prompt)], { offset: 0, cycle: true }),
  });
  const never = new AbortController().signal;
  for await (const ended of runner.run(plan, { drain: never, cancel: never }, [])) return ended;
  throw new Error('nothing ended');
}

const talks = apiNames.filter((name) => name !== 'embeddings' && name !== 'rerank' && name !== 'custom');
/** What the same engine says over OpenAI's completions wire, which has tests and recordings of its own, is the truth for the others. */
let truth = '';
beforeAll(async () => {
  const plain = await startEngine({ profile, speed: 200, models: [model] });
  truth = (await ask(plain, 'openai-completions', true, 12)).answer!.text;
  await plain.close();
});

describe('every wire, against the engine that writes it independently', () => {
  let engine: RunningEngine;
  beforeAll(async () => {
    engine = await startEngine({ profile, speed: 200, models: [model] });
  });
  afterAll(() => engine.close());

  test('the truth is twelve tokens of text', () => {
    expect(truth.length).toBeGreaterThan(20);
  });

  test.each(talks.flatMap((api) => [[api, true] as const, [api, false] as const]))(
    '%s, streamed: %s',
    async (api, stream) => {
      const { exchange, answer } = await ask(engine, api, stream, 12);
      expect(exchange.problem).toBeNull();
      expect(exchange.outcome).toBe('ok');
      expect(answer!.text).toBe(truth);
      expect(exchange.outputChars).toBe([...truth].length);
      // vLLM's own server tells no counts.
      expect(exchange.outputTokens.server).toBe(api === 'vllm-generate' ? null : 12);
      const events = exchange.chunks.tokens.reduce((sum, tokens) => sum + tokens, 0);
      expect(events).toBe(stream ? 12 : 0);
    },
  );

  test.each(['embeddings', 'rerank'] as const)('%s', async (api) => {
    const { exchange } = await ask(engine, api, false, 1);
    expect(exchange.problem).toBeNull();
    expect(exchange.inputTokens.server).toBeGreaterThan(3);
    expect(exchange.outputTokens.server).toBe(0);
  });

  test.each([
    ['/infer', 'mindie'],
    ['/generate', 'tgi'],
    ['/', 'tgi'],
    ['/api/generate', 'ollama'],
    ['/openai/deployments/qwq-32b/chat/completions?api-version=2024-10-21', 'openai-chat'],
  ] as const)('other paths: %s', async (path, api) => {
    const { exchange, answer } = await ask(engine, api, true, 12, path);
    expect(exchange.problem).toBeNull();
    expect(answer!.text).toBe(truth);
  });

  test.each([true, false])('SGLang takes token numbers as they are, streamed: %s', async (stream) => {
    const numbers = { ...plainPrompt('one', ''), text: '', body: { prompt: [11, 12, 13, 14] } };
    const { exchange } = await ask(engine, 'sglang', stream, 12, '', { prompt: numbers });
    expect(exchange.problem).toBeNull();
    expect([exchange.inputTokens.server, exchange.outputTokens.server]).toEqual([4, 12]);
    expect(exchange.cachedTokens).toBe(0);
  });

  test.each([
    ['openai-chat', true],
    ['openai-chat', false],
    ['openai-completions', true],
    ['openai-completions', false],
  ] as const)('three choices over %s, streamed: %s: the words and tokens of all', async (api, stream) => {
    const three = { body: { n: 3, ignore_eos: true } };
    const { exchange, answer } = await ask(engine, api, stream, 12, '', three);
    expect(exchange.problem).toBeNull();
    expect(exchange.outputTokens.server).toBe(36);
    const events = exchange.chunks.tokens.reduce((sum, tokens) => sum + tokens, 0);
    expect(events).toBe(stream ? 36 : 0);
    if (!stream) expect(answer!.text.startsWith(truth)).toBe(true);
    expect(answer!.text.length).toBeGreaterThan(2 * truth.length);
  });

  test('MindIE tells batch size and queue wait of every token', async () => {
    const { exchange } = await ask(engine, 'mindie', true, 12);
    expect(exchange.serverSteps!.batchSize).toEqual(Array.from({ length: 12 }, () => 1));
    expect(exchange.serverSteps!.queueWaitMs).toHaveLength(12);
  });
});

describe("MindIE's habits", () => {
  const habits: QuirkName[][] = [['nul-padding'], ['bare'], ['full-text'], ['bare', 'nul-padding', 'full-text']];
  test.each(
    habits.flatMap((quirks) => (['mindie', 'tgi', 'openai-chat'] as const).map((api) => [quirks, api] as const)),
  )('%s over %s: the same words', async (quirks, api) => {
    const engine = await startEngine({ profile, speed: 200, models: [model], quirks });
    try {
      const { exchange, answer } = await ask(engine, api, true, 12);
      expect(exchange.problem).toBeNull();
      expect(answer!.text).toBe(truth);
      expect(exchange.outputChars).toBe([...truth].length);
      expect(exchange.outputTokens.server).toBe(12);
    } finally {
      await engine.close();
    }
  });
});

describe('what MindIE tells of every token under its benchmark switch', () => {
  let engine: RunningEngine;
  beforeAll(async () => {
    engine = await startEngine({ profile, speed: 200, models: [model], quirks: ['step-facts'] });
  });
  afterAll(() => engine.close());
  const twelve = Array.from({ length: 12 }, () => 1);

  test.each(['openai-chat', 'openai-completions'] as const)(
    '%s, streamed: batch sizes and queue waits in the usage, the same words',
    async (api) => {
      const { exchange, answer } = await ask(engine, api, true, 12);
      expect(exchange.problem).toBeNull();
      expect(answer!.text).toBe(truth);
      expect(exchange.serverSteps!.batchSize).toEqual(twelve);
      expect(exchange.serverSteps!.queueWaitMs).toHaveLength(12);
      expect(exchange.serverSteps!.timesMs).toBeUndefined();
    },
  );

  test.each(['openai-chat', 'mindie'] as const)(
    '%s, whole: the time of every token by the server, which adds up to no more than it took',
    async (api) => {
      const { exchange, answer } = await ask(engine, api, false, 12);
      expect(answer!.text).toBe(truth);
      const times = exchange.serverSteps!.timesMs!;
      expect(times).toHaveLength(12);
      // Whole ms of simulated time, which runs 200 times as fast.
      expect(times.every((ms) => Number.isInteger(ms) && ms > 0)).toBe(true);
      const tookMs = (exchange.endMs - exchange.sentMs!) * 200;
      expect(times.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(tookMs + 12);
      expect(exchange.outputTokens.server).toBe(12);
    },
  );
});

describe('the times that a server tells of a request', () => {
  let engine: RunningEngine;
  beforeAll(async () => {
    engine = await startEngine({ profile, speed: 200, models: [model], quirks: ['request-metrics'] });
  });
  afterAll(() => engine.close());

  test.each([
    ['openai-chat', true],
    ['openai-chat', false],
    ['openai-completions', true],
    ['openai-completions', false],
  ] as const)('vLLM’s metrics over %s, streamed: %s, add up to no more than it took', async (api, stream) => {
    const { exchange } = await ask(engine, api, stream, 12);
    const { queueMs, prefillMs, decodeMs, totalMs } = exchange.serverTimes!;
    expect(totalMs).toBeNull();
    expect(prefillMs).toBeGreaterThan(0);
    expect(decodeMs).toBeGreaterThan(0);
    expect(queueMs! + prefillMs! + decodeMs!).toBeLessThanOrEqual(exchange.endMs - exchange.sentMs! + 1);
  });

  test('of several choices vLLM tells none', async () => {
    const { exchange } = await ask(engine, 'openai-chat', true, 12, '', { body: { n: 2 } });
    expect(exchange.outcome).toBe('ok');
    expect(exchange.serverTimes).toBeUndefined();
  });

  test.each([true, false])('SGLang’s, streamed: %s', async (stream) => {
    const { exchange } = await ask(engine, 'sglang', stream, 12);
    const { queueMs, totalMs } = exchange.serverTimes!;
    expect(totalMs).toBeGreaterThan(0);
    expect(totalMs).toBeLessThanOrEqual(exchange.endMs - exchange.sentMs!);
    expect(queueMs).toBeLessThanOrEqual(totalMs!);
  });

  test('a server that tells none leaves none', async () => {
    expect((await ask(engine, 'ollama', true, 12)).exchange.serverTimes).toBeUndefined();
  });
});

describe('an error inside a 200 answer is a failure of its own kind', () => {
  test.each(talks.flatMap((api) => [[api, true] as const, [api, false] as const]))(
    '%s, streamed: %s',
    async (api, stream) => {
      const faulty = await startEngine({
        profile,
        speed: 200,
        models: [model],
        faults: [{ name: 'stream-error', probability: 1 }],
      });
      try {
        const { exchange } = await ask(faulty, api, stream, 12);
        expect(exchange.outcome).toBe('failed');
        expect(exchange.problem!.code).toBe('in-stream-error');
        expect(exchange.problem!.words).toContain('simulated failure inside the answer');
      } finally {
        await faulty.close();
      }
    },
  );
});

describe('a stream that is cut off is never ok', () => {
  test.each(talks)('%s', async (api) => {
    const faulty = await startEngine({
      profile,
      speed: 200,
      models: [model],
      faults: [{ name: 'truncate', probability: 1 }],
    });
    try {
      const { exchange } = await ask(faulty, api, true, 12);
      expect(exchange.problem!.code).toBe('truncated-stream');
    } finally {
      await faulty.close();
    }
  });
});
