import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { halfUlp } from '../../core/index.ts';
import { readNumber } from './number-text.ts';

describe('a number as it stands in a file', () => {
  test.each([
    ['404.284 seconds', 404.284, '404.284', 'seconds'],
    ['8,792', 8792, '8792', ''],
    ['64.7768 ms', 64.7768, '64.7768', 'ms'],
    ['253.040', 253.04, '253.040', ''],
    ['170470 μs', 170470, '170470', 'μs'],
    ['1.5e-3', 0.0015, '1.5e-3', ''],
    ['.5', 0.5, '.5', ''],
  ])('%s', (text, value, digits, unit) => {
    expect(readNumber(text)).toEqual({ value, digits, unit });
  });
  test.each([
    '',
    'NaN',
    'inf',
    'Infinity',
    '1e308',
    '1.2.3',
    '0x1F',
    '12 34',
    '1,23',
    '3.213.',
    '--5',
    '5-',
    '１２',
    '9'.repeat(400),
    '5 / 6',
    'seconds',
  ])('"%s" is none', (text) => {
    expect(readNumber(text)).toBeNull();
  });
  test('whatever toFixed prints is read back with its digits', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e12, noNaN: true }), fc.nat(8), (value, decimals) => {
        const digits = value.toFixed(decimals);
        expect(readNumber(` ${digits} `)).toEqual({ value: Number(digits), digits, unit: '' });
      }),
    );
  });
  test('the true value lies within half a unit of the last printed place', () => {
    expect([halfUlp('3.213'), halfUlp('8'), halfUlp('0.00168'), halfUlp('1.5e-3')]).toEqual([
      0.0005,
      0.5,
      expect.closeTo(0.000005, 12),
      expect.closeTo(0.00005, 12),
    ]);
  });
});
