import { describe, expect, it } from 'vitest';
import { drawOutputTokens, estimateTokens, isMostlyCjk, textOfPrompt, wishedTokens } from './index.ts';

const free = { maxTokens: null, minTokens: null, ignoreEos: false };

describe('input tokens', () => {
  it('count Chinese at 0.7 and other text at 0.25 a character, and are never 0', () => {
    expect(estimateTokens('一'.repeat(100))).toBe(70);
    expect(estimateTokens('a'.repeat(100))).toBe(25);
    expect(estimateTokens('一'.repeat(10) + 'a'.repeat(40))).toBe(17);
    expect(estimateTokens('')).toBe(1);
  });

  it('come from every text part of every message', () => {
    const content = [{ type: 'text', text: 'b' }, { type: 'image_url' }, { type: 'text', text: 'c' }];
    const messages = [{ role: 'system', content: 'a' } as const, { role: 'user', content } as const];
    expect(textOfPrompt({ text: null, messages })).toBe('a\nbc');
    expect(textOfPrompt({ text: 'raw', messages: [] })).toBe('raw');
  });

  it('tell the language of a prompt with names in it', () => {
    expect(isMostlyCjk('Python 的列表和元组有什么区别？')).toBe(true);
    expect(isMostlyCjk('What does 中文 mean in a sentence like this one?')).toBe(false);
  });
});

describe('output tokens', () => {
  it('follow a wish for a length in the prompt, less and less the more is wished, never past the longest', () => {
    const wish = (chars: number): number => wishedTokens(`${'文'.repeat(200)}\n接着写，大约 ${chars} 个字：`)!;
    const wished = [100, 500, 1000, 2000, 4000].map(wish);
    expect(wished).toEqual(wished.toSorted((a, b) => a - b));
    for (const [i, chars] of [100, 500, 1000, 2000, 4000].entries()) expect(wished[i]).toBeLessThan(0.7 * chars);
    expect(wish(900_000)).toBeLessThan(700);
    expect(
      wishedTokens('Why is the sky blue? 500 characters of it, and then a long story.'.padEnd(400, '.')),
    ).toBeNull();
    const answers = Array.from({ length: 400 }, (_, i) =>
      drawOutputTokens(1, i, { ...free, wishedTokens: wish(1000) }),
    ).toSorted((a, b) => a - b);
    expect(answers[200]! / wish(1000)).toBeCloseTo(1, 1);
  });

  it('are the limit itself when the end of the answer is ignored', () => {
    expect(drawOutputTokens(1, 7, { ...free, maxTokens: 77, ignoreEos: true })).toBe(77);
    expect(drawOutputTokens(1, 7, { ...free, ignoreEos: true })).toBe(2048);
  });

  it('stay between min and max', () => {
    for (let i = 0; i < 200; i++) {
      const drawn = drawOutputTokens(1, i, { maxTokens: 210, minTokens: 190, ignoreEos: false });
      expect(drawn).toBeGreaterThanOrEqual(190);
      expect(drawn).toBeLessThanOrEqual(210);
    }
  });

  it('have a mean of about 240 and a median of about 200 tokens', () => {
    const drawn = Array.from({ length: 20_000 }, (_, i) => drawOutputTokens(3, i, free)).toSorted((a, b) => a - b);
    const mean = drawn.reduce((sum, n) => sum + n, 0) / drawn.length;
    // Standard deviation 240·√(e^0.36 − 1) = 158, so the mean of 20,000 is known to 1.1; four of those are allowed.
    expect(Math.abs(mean - 240)).toBeLessThan(5);
    expect(Math.abs(drawn[10_000]! - 200)).toBeLessThan(6);
  });

  it('depend on seed and prompt alone', () => {
    expect(drawOutputTokens(9, 1, free)).toBe(drawOutputTokens(9, 1, free));
    const lengths = new Set(Array.from({ length: 20 }, (_, i) => drawOutputTokens(9, i, free)));
    expect(lengths.size).toBeGreaterThan(15);
  });
});
