import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EngineProfile } from './index.ts';
import { EngineCore, estimateTokens, promptKeys, textKeys, tokenKeys } from './index.ts';
import { PrefixCache } from './kv/prefix-cache.ts';

const profile: EngineProfile = {
  schema: 'llmdyno.engine-profile/1',
  name: 'prefix',
  title: 'prefix',
  model: 'prefix',
  source: 'made up for tests',
  date: '2026',
  // A step is 10 ms and 1 ms per prompt token: what was prefilled can be read off a first token.
  cost: { aMs: 10, cMsPerDecode: 0, p1MsPerPrefillToken: 1, kMsPer1000KvTokens: 0 },
  jitter: { stepSigma: 0 },
  maxBatchSize: 8,
  maxPrefillTokens: null,
  kv: { blocks: 40, blockSize: 16 },
  scheduler: { name: 'vllm-v1', settings: {} },
  notes: [],
};

/** `count` words of three letters and a space: as many tokens. */
const words = (count: number, letter: string): string => `${letter.repeat(3)} `.repeat(count);

/** Runs one request alone and says what it found and when its first token came. */
function alone(
  core: EngineCore,
  id: number,
  text: string,
  answer = 'x',
  outputTokens = 2,
): { cached: number | null; ttftMs: number } {
  const inputTokens = estimateTokens(text);
  const arrivalMs = 1e6 * id;
  const { keyBlockSize } = core;
  core.submit({
    id,
    inputTokens,
    outputTokens,
    arrivalMs,
    ...(keyBlockSize !== null && {
      keys: promptKeys(text, inputTokens, keyBlockSize, () => ({ text: answer, tokens: outputTokens })),
    }),
  });
  core.beginStep(arrivalMs);
  const [finish] = core.advance(Infinity);
  return { cached: finish!.cachedTokens, ttftMs: finish!.firstTokenMs - arrivalMs };
}

describe('keys of blocks', () => {
  it('two texts have as many keys in common as they have whole blocks in common at their beginnings', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 300 }),
        fc.string(),
        fc.string(),
        fc.constantFrom(1, 4, 16),
        (head, a, b, size) => {
          const [one, other] = [`${head}${a}`, `${head}${b}`];
          let alike = 0;
          while (alike < Math.min(one.length, other.length) && one[alike] === other[alike]) alike++;
          const [left, right] = [one, other].map((text) => textKeys(text, text.length / 4, size));
          const shared = Math.floor(alike / 4 / size);
          const common = [...left!].filter((key, i) => key === right![i]).length;
          expect(common).toBeLessThanOrEqual(Math.min(left!.length, right!.length));
          // fc.string is printable ASCII: four characters to a token.
          expect(common).toBe(Math.min(shared, left!.length, right!.length));
        },
      ),
      { seed: 31 },
    );
  });

  it('token numbers: 40 tokens are two blocks of 16, and a changed token changes the keys from its block on', () => {
    const tokens = Array.from({ length: 40 }, (_, i) => i);
    const keys = tokenKeys(tokens, 16);
    const changed = tokenKeys(tokens.with(20, 99), 16);
    expect(keys).toHaveLength(2);
    expect(changed[0]).toBe(keys[0]);
    expect(changed[1]).not.toBe(keys[1]);
  });

  it('no two of 200,000 blocks of different texts have one key', () => {
    const keys = new Set<number>();
    for (let i = 0; i < 2000; i++) for (const key of textKeys(`${i}${words(1600, 'a')}`, 1600, 16)) keys.add(key);
    expect(keys.size).toBe(2000 * 100);
  });

  it('a known count of tokens that is twice the estimate makes blocks of half the text', () => {
    const text = words(64, 'a');
    expect(textKeys(text, 64, 16)).toHaveLength(4);
    expect(textKeys(text, 128, 16)).toHaveLength(8);
    expect(textKeys(text, 128, 16)[1]).not.toBe(textKeys(text, 64, 16)[0]);
  });
});

describe('shared beginnings', () => {
  it('a repeated prompt of 100 tokens prefills only what lies beyond its six whole blocks', () => {
    const core = new EngineCore({ profile, seed: 1 });
    expect(alone(core, 1, words(100, 'a'))).toEqual({ cached: 0, ttftMs: 110 });
    expect(alone(core, 2, words(100, 'a'))).toEqual({ cached: 96, ttftMs: 14 });
    const { prefixLookedUpTokensTotal, prefixFoundTokensTotal } = core.counters();
    expect([prefixLookedUpTokensTotal, prefixFoundTokensTotal]).toEqual([200, 96]);
  });

  it('of a prompt of whole blocks the last is prefilled again: a first token needs a step', () => {
    const core = new EngineCore({ profile, seed: 1 });
    alone(core, 1, words(96, 'a'));
    expect(alone(core, 2, words(96, 'a'))).toEqual({ cached: 80, ttftMs: 26 });
  });

  it('prompts of one group share the group’s beginning, and no more', () => {
    const core = new EngineCore({ profile, seed: 1 });
    alone(core, 1, words(64, 'a') + words(40, 'b'));
    expect(alone(core, 2, words(64, 'a') + words(40, 'c'))).toEqual({ cached: 64, ttftMs: 50 });
    expect(alone(core, 3, words(40, 'c'))).toEqual({ cached: 0, ttftMs: 50 });
  });

  it('a conversation’s next turn finds the turn before it and its answer', () => {
    const core = new EngineCore({ profile, seed: 1 });
    const question = words(30, 'a');
    const answer = words(50, 'b');
    alone(core, 1, question, answer, 50);
    // 30 + 50 tokens; the last one's KV was never made, so four of five blocks are there.
    expect(alone(core, 2, `${question}\n${answer}\n${words(20, 'c')}`).cached).toBe(64);
  });

  it('two that begin alike and come at once share the step, and the blocks', () => {
    const core = new EngineCore({ profile, seed: 1 });
    const text = words(64, 'a');
    for (const id of [1, 2]) {
      core.submit({ id, inputTokens: 64, outputTokens: 1, arrivalMs: 0, keys: { prompt: textKeys(text, 64, 16) } });
    }
    expect(core.beginStep(0)!.prefillTokens).toBe(64 + 16);
    // Three blocks of both, and one of each.
    expect(core.counters().kvUsedBlocks).toBe(5);
    expect(core.recountBlocks()).toBe(5);
  });

  it('used, cached and empty blocks are all blocks, and the least recently used go first', () => {
    const core = new EngineCore({ profile, seed: 1 });
    for (const [i, letter] of [...'abc'].entries()) alone(core, i + 1, words(160, letter));
    // 3 × 10 whole blocks of 40; nothing is used.
    expect(core.counters()).toMatchObject({ kvUsedBlocks: 0, kvCachedBlocks: 30, kvTotalBlocks: 40 });
    alone(core, 4, words(160, 'a'));
    // 24 blocks are needed; 10 are empty, 14 have to come from b and c, of which b was used first.
    alone(core, 5, words(380, 'd'));
    expect(core.counters().kvCachedBlocks).toBeLessThanOrEqual(40);
    expect(alone(core, 6, words(160, 'a')).cached).toBe(144);
    expect(alone(core, 7, words(160, 'b')).cached).toBe(0);
  });

  it.each([
    ['vllm-v1', { enable_prefix_caching: false }, { enable_prefix_caching: true }, true],
    ['vllm-v0', { enable_prefix_caching: false }, { enable_prefix_caching: true }, false],
    ['sglang', { disable_radix_cache: true }, { disable_radix_cache: false }, true],
    ['mindie', { plugin_type: 'none' }, { plugin_type: 'prefix_cache' }, false],
    ['continuous', { prefixCaching: false }, { prefixCaching: true }, false],
  ] as const)(
    '%s: off and on by its own setting, and as its server does where nobody says',
    (name, off, on, byDefault) => {
      const second = (settings: Record<string, boolean | string>): number | null => {
        const core = new EngineCore({ profile: { ...profile, scheduler: { name, settings } }, seed: 1 });
        alone(core, 1, words(100, 'a'));
        return alone(core, 2, words(100, 'a')).cached;
      };
      expect([second(off), second(on), second({})]).toEqual([null, 96, byDefault ? 96 : null]);
    },
  );

  it.each([
    [true, 12 - 4],
    [false, 12],
  ])(
    'cache %s: of a preempted one only what is not found again is recomputed, %d tokens',
    (prefixCaching, recomputed) => {
      // Six blocks of 4; two prompts of 8 with answers of 8 come to 15 tokens, four blocks each. The younger goes when both want
      // their fourth, with 8 + 4 tokens of KV, and comes back when the other is done: the first of its prompt's blocks is still there
      // (never the whole prompt is).
      const core = new EngineCore({ profile: { ...profile, kv: { blocks: 6, blockSize: 4 }, prefixCaching }, seed: 1 });
      for (const id of [1, 2])
        core.submit({
          id,
          inputTokens: 8,
          outputTokens: 8,
          arrivalMs: 0,
          keys: { prompt: Float64Array.of(10 * id, 10 * id + 1) },
        });
      core.beginStep(0);
      while (core.step !== null) core.advance(Infinity);
      expect(core.counters()).toMatchObject({ preemptionsTotal: 1, recomputedTokensTotal: recomputed });
    },
  );

  it('without a limit of its own the cache still forgets: never more than 2^17 blocks that nobody holds', () => {
    const cache = new PrefixCache(false);
    for (let i = 0; i < 3; i++) {
      const keys = Float64Array.from({ length: 60_000 }, (_, k) => 100_000 * i + k);
      for (const key of keys) cache.add(key);
      cache.release(keys, keys.length);
    }
    expect(cache.idleBlocks).toBe(2 ** 17);
  });
});
