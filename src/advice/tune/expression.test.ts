import { describe, expect, test } from 'vitest';
import { BadExpression, parseExpression, valueOf } from './expression.ts';

describe('formulas over settings', () => {
  test.each([
    ['maxBatchSize/2', { maxBatchSize: 201 }, 100.5],
    ['maxBatchSize-1', { maxBatchSize: 200 }, 199],
    ['2 + 3 * 4 - 1', {}, 13],
    ['(2 + 3) * 4', {}, 20],
    ['min(a, b, 64)', { a: 100, b: 80 }, 64],
    ['floor(ratio * 50)', { ratio: 2.5 }, 125],
    ['max_num_seqs * 2', { 'max-num-seqs': 8 }, 16],
    ['select ? 600 : 150', { select: true }, 600],
    ["mode == 'fast' && n > 3", { mode: 'fast', n: 4 }, true],
    ['!select || -n < 0', { select: false, n: 0 }, true],
    ['7 % 4', {}, 3],
  ])('%s', (text, settings, wanted) => {
    expect(valueOf(parseExpression(text), settings)).toBe(wanted);
  });

  test('a setting that is not there gives no number', () => {
    expect(valueOf(parseExpression('missing + 1'), {})).toBeNaN();
  });

  test.each(['1 +', '(2', 'sqrt(4)', '2 3', '$x', 'a ? b', ')'])('%s is refused', (text) => {
    expect(() => parseExpression(text)).toThrow(BadExpression);
  });

  test('one that went to another thread as text is worth the same there', () => {
    const there = JSON.parse(JSON.stringify(parseExpression('min(a, 7) * 2'))) as ReturnType<typeof parseExpression>;
    expect(valueOf(there, { a: 5 })).toBe(10);
  });

  test('the names in a formula are told', () => {
    expect(parseExpression('min(a, b) <= c.d').names).toEqual(['a', 'b', 'c.d']);
  });
});
