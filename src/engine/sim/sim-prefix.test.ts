import { describe, expect, it } from 'vitest';
import type { Exchange, Prompt, RunPlan, Workload } from '../../core/index.ts';
import {
  conversationPrompt,
  fromPrompts,
  plainPrompt,
  plainWords,
  sharedPrefixPrompts,
} from '../../inputs/workload/index.ts';
import type { EngineCounters, EngineProfile } from './index.ts';
import { makeSimRunner } from './index.ts';

const profile: EngineProfile = {
  schema: 'llmdyno.engine-profile/1',
  name: 'prefix',
  title: 'prefix',
  model: 'prefix',
  source: 'made up for tests',
  date: '2026',
  cost: { aMs: 10, cMsPerDecode: 1, p1MsPerPrefillToken: 0.5, kMsPer1000KvTokens: 0 },
  jitter: { stepSigma: 0 },
  maxBatchSize: 8,
  maxPrefillTokens: null,
  kv: { blocks: 1000, blockSize: 16 },
  notes: [],
};

const plan: RunPlan = {
  label: null,
  target: { url: 'http://127.0.0.1/', api: 'openai-chat', model: 'plain', headers: {}, keyEnv: null, insecure: false },
  dataset: { spec: 'test', kind: 'test', name: 'test', hash: null, items: null, bytes: null, offset: 0, cycled: true },
  generation: { stream: true, maxTokens: 5, minTokens: null, temperature: null, ignoreEos: true, stop: [], body: {} },
  load: { kind: 'closed', concurrency: 1, ratePerSec: null, arrival: { process: 'closed' }, dropLate: false },
  requests: 4,
  durationMs: null,
  warmup: null,
  timeouts: { connectMs: null, ttftMs: null, readMs: null, totalMs: null },
  seed: 1,
  slo: [],
  keepText: false,
};

async function play(
  workload: Workload,
  caching: boolean,
  what: Partial<RunPlan> = {},
): Promise<{ exchanges: Exchange[]; counters: EngineCounters }> {
  const scheduler = { name: 'vllm-v1', settings: { enable_prefix_caching: caching } } as const;
  const runner = makeSimRunner({ profile: { ...profile, scheduler }, workload: () => workload });
  const never = new AbortController().signal;
  const exchanges: Exchange[] = [];
  for await (const { exchange } of runner.run({ ...plan, ...what }, { drain: never, cancel: never }, [])) {
    exchanges.push(exchange);
  }
  return { exchanges, counters: runner.counters()! };
}

const ttftMs = ({ chunks, sentMs }: Exchange): number => Math.round(1e6 * (chunks.atMs[0]! - sentMs!)) / 1e6;
const words = (count: number): string => Array.from({ length: count }, () => 'sky').join(' ');

describe('shared beginnings in virtual time', () => {
  const same = [{ ...plainPrompt('same', words(100)), inputTokens: 100 }];

  it('the same prompt again costs its last four tokens of prefill: 10 + 0.5 · 4 ms instead of 10 + 0.5 · 100', async () => {
    const { exchanges, counters } = await play(fromPrompts(same, { offset: 0, cycle: true }), true);
    expect(exchanges.map((e) => [e.cachedTokens, ttftMs(e)])).toEqual([
      [0, 60],
      [96, 12],
      [96, 12],
      [96, 12],
    ]);
    expect([counters.prefixLookedUpTokensTotal, counters.prefixFoundTokensTotal]).toEqual([400, 288]);
  });

  it('switched off, nothing is found and nothing is said of it', async () => {
    const { exchanges } = await play(fromPrompts(same, { offset: 0, cycle: true }), false);
    expect(exchanges.map((e) => [e.cachedTokens, ttftMs(e)])).toEqual(exchanges.map(() => [null, 60]));
  });

  it('groups: each group’s beginning is prefilled once, and found by all that follow', async () => {
    const make = sharedPrefixPrompts({
      seed: 3,
      words: plainWords,
      input: { law: 'fixed', tokens: 40 },
      output: null,
      groups: 3,
      prefixTokens: 128,
      zipf: null,
    });
    const prompts = Array.from({ length: 30 }, (_, i): Prompt => make(i));
    const { exchanges } = await play(fromPrompts(prompts, { offset: 0, cycle: false }), true, { requests: 30 });
    const seen = new Set<string>();
    const expected = prompts.map(({ labels }) => {
      const known = seen.has(labels['group']!);
      seen.add(labels['group']!);
      return known ? 128 : 0;
    });
    expect(exchanges.map((e) => e.cachedTokens)).toEqual(expected);
    expect(seen.size).toBe(3);
  });

  it('a conversation finds its history, answers included, and its first tokens come sooner than without', async () => {
    const script = {
      id: 'talk',
      system: words(200),
      turns: [words(20), words(20), words(20)],
      maxTokens: [64, 64, 64],
      thinkMs: null,
      keepReasoning: false,
    };
    const talk = (): Workload => ({
      ...fromPrompts([conversationPrompt(script)], { offset: 0, cycle: false }),
      conversations: true,
    });
    const [on, off] = await Promise.all([true, false].map((caching) => play(talk(), caching, { requests: 3 })));
    const tokens = on!.exchanges.map((e) => e.inputTokens.server!);
    // All of the turn before and its 64 tokens, but the last, in whole blocks of 16.
    expect(on!.exchanges.slice(1).map((e) => e.cachedTokens)).toEqual(
      tokens.slice(0, -1).map((before) => Math.floor((before + 63) / 16) * 16),
    );
    on!.exchanges.slice(1).forEach((e, i) => expect(ttftMs(e)).toBeLessThan(ttftMs(off!.exchanges[i + 1]!)));
  });
});
