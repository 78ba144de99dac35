import { expect, test } from 'vitest';
import { leastOf, mostOf } from './extremes.ts';

test('the least and the greatest of none, of some and of a million', () => {
  expect([leastOf([]), mostOf([])]).toEqual([Infinity, -Infinity]);
  expect([leastOf([3, -1, 2]), mostOf([3, -1, 2])]).toEqual([-1, 3]);
  const many = Array.from({ length: 1_000_000 }, (_, i) => (i * 7919) % 1_000_003);
  expect([leastOf(many), mostOf(many)]).toEqual([0, 1_000_002]);
});
