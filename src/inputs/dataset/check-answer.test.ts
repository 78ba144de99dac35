import { describe, expect, it } from 'vitest';
import { answersNumber } from './index.ts';

describe('answers to GSM8K', () => {
  it.each([
    ['7', 'So 3 + 4 = 7.\n#### 7', true],
    ['1234', 'The total is $1,234.00', true],
    ['1234', '#### 1,234', true],
    ['7', 'She has 7 apples, then eats 2.', false],
    ['7', 'We get \\boxed{7} after 2 steps in 2026', true],
    ['-3.5', 'It falls to -3.5 degrees', true],
    ['7', 'I do not know.', false],
    ['7', '#### 8 (not 7)', false],
  ])('reference %s and answer %j: %s', (reference, answer, right) => {
    expect(answersNumber(reference, answer)).toBe(right);
  });

  it('a reference that is no number decides nothing', () => {
    expect(answersNumber('', '7')).toBeNull();
  });
});
