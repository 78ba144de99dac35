import { describe, expect, test } from 'vitest';
import { exchange } from '../../../test/made-exchanges.ts';
import type { Exchange } from '../../core/index.ts';
import { makeMeter } from './meter.ts';
import type { Reading } from './reading.ts';
import { possibleCount } from './possible-count.ts';

const answer = (tokens: number, events: number, outputChars: number, more: Partial<Exchange> = {}): Exchange =>
  exchange(
    0,
    0,
    Array.from({ length: events }, (_, i) => 10 * (i + 1)),
    { outputTokens: { planned: null, server: tokens, client: null }, outputChars, ...more },
  );

describe('whether an answer can hold as many tokens as its server says', () => {
  test('20 chunks of two letters are no 1,000 tokens', () => {
    expect(possibleCount(answer(1000, 20, 40))).toBe(false);
    expect(possibleCount(answer(20, 20, 40))).toBe(true);
  });
  test('just beside the number that decides: 3 a character, 8 an event, 32 that nobody shows', () => {
    expect(possibleCount(answer(3 * 40 + 8 * 20 + 32, 20, 40))).toBe(true);
    expect(possibleCount(answer(3 * 40 + 8 * 20 + 33, 20, 40))).toBe(false);
  });
  test('hidden reasoning is excused where it is told', () => {
    expect(possibleCount(answer(1000, 20, 40, { reasoningTokens: 900 }))).toBe(true);
    expect(possibleCount(answer(1000, 20, 40, { reasoningTokens: 100 }))).toBe(false);
  });
  test('several tokens a chunk, tokens without text, an answer that was not streamed, Chinese', () => {
    expect(possibleCount(answer(128, 16, 500))).toBe(true);
    expect(possibleCount(answer(40, 40, 0))).toBe(true);
    expect(possibleCount(answer(40, 0, 0))).toBe(true);
    expect(possibleCount(answer(300, 0, 200))).toBe(true);
    expect(possibleCount(answer(5000, 0, 40))).toBe(false);
  });
});

describe('figures from impossible counts', () => {
  const measured = (lies: number): Reading => {
    const meter = makeMeter({ load: { kind: 'closed', concurrency: 1 }, stream: true });
    for (let i = 0; i < 1000; i++) meter.add({ ...answer(i < lies ? 1000 : 20, 20, 40), seq: i });
    return meter.read();
  };
  test('are null from one answer in a hundred on; times of requests stay', () => {
    for (const [lies, told] of [
      [9, true],
      [10, false],
    ] as const) {
      const { outputTokensPerSec, tpotMs, itlMs, outputTokens, latencyMs, impossibleCounts } = measured(lies);
      expect(impossibleCounts).toBe(lies);
      expect(latencyMs).not.toBeNull();
      for (const figure of [outputTokensPerSec, tpotMs, itlMs, outputTokens]) expect(figure !== null).toBe(told);
    }
    expect(measured(0)).not.toHaveProperty('impossibleCounts');
  });
});
