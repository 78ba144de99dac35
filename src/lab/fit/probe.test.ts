import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exchange } from '../../../test/made-exchanges.ts';
import { problem } from '../../core/index.ts';
import { sightOf } from '../../advice/fit/index.ts';
import { lengthWithin, lossOf, probesFor } from './probe.ts';

const [probe] = probesFor(32);

/** A request of 1,000 prompt tokens, so many of them from the cache, whose first token took so long. */
const asked = (seq: number, cachedTokens: number | null, firstMs: number) =>
  exchange(seq, 0, [firstMs, firstMs + 5], {
    cachedTokens,
    inputTokens: { planned: 700, server: 1000, client: null },
  });

describe('what a probe shows', () => {
  it('first tokens of prompts that the server had in its cache are left out, those of computed ones stay', () => {
    const sight = sightOf(1, [asked(0, 992, 3), asked(1, 0, 100), asked(2, 16, 101)])!;
    expect(sight.ttftMs).toEqual([100, 101]);
    expect(sight.inputTokens).toBe(1000);
    expect(sight.cachedShare).toBeCloseTo(1008 / 3000, 6);
    expect(lossOf(probe!, sight, [])).toBeNull();
  });

  it('where all came from the cache nothing about prompts is learned, and that is said', () => {
    const sight = sightOf(1, [asked(0, 992, 3), asked(1, 992, 3)])!;
    expect(sight.ttftMs).toEqual([]);
    expect(lossOf(probe!, sight, [])!.en).toBe(
      "64 → 12: 99 % of its prompts came from the server's cache; its first tokens are left out",
    );
  });

  it('a server that says nothing of its cache is taken at its word', () => {
    const sight = sightOf(1, [asked(0, null, 100)])!;
    expect([sight.ttftMs, sight.cachedShare]).toEqual([[100], null]);
  });

  it('a lost probe is named with its lengths, its cause, and what the server said', () => {
    const refused = exchange(0, 0, [], {
      outcome: 'failed',
      problem: problem('http-4xx', 'too long: 2073 > 2048', 400),
    });
    expect(sightOf(1, [refused])).toBeNull();
    expect(lossOf(probe!, null, [refused])!.en).toBe(
      '64 → 12: lost, server refused the request (4xx) (HTTP 400): too long: 2073 > 2048',
    );
    expect(lossOf(probe!, null, [exchange(0, 0, [5])])!.zh).toContain('没有两个 token 以上');
  });
});

describe('lengthWithin', () => {
  it('a planned prompt and its answer fit the model, though its vocabulary makes half as many tokens again', () => {
    fc.assert(
      fc.property(fc.constantFrom(...probesFor(32)), fc.integer({ min: 1024, max: 200_000 }), (each, context) => {
        const planned = lengthWithin(each, context, false);
        expect(planned).toBeLessThanOrEqual(each.inputTokens);
        expect(planned * 1.5 + each.outputTokens).toBeLessThanOrEqual(context);
      }),
    );
  });

  it('2,048 tokens, which a vocabulary may make more of, are asked for as fewer on a server of 2,048; with its tokenizer only room for the answer is kept', () => {
    const long = probesFor(32).find(({ inputTokens }) => inputTokens === 2048)!;
    expect(lengthWithin(long, 2048, false)).toBe(1314);
    expect(lengthWithin(long, 2048, true)).toBe(1972);
    expect(lengthWithin(long, null, false)).toBe(2048);
  });
});
