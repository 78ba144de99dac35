import { expect, test } from 'vitest';
import { ArrayPool } from './array-pool.ts';

test('an array given back is the next one taken of its size, and none is shorter than asked', () => {
  const pool = new ArrayPool(16, (length) => new Uint8Array(length));
  const first = pool.take(17);
  expect(first).toHaveLength(32);
  const other = pool.take(20);
  expect(other).not.toBe(first);
  pool.give(first);
  expect(pool.take(10)).toHaveLength(16);
  expect(pool.take(32)).toBe(first);
  for (const length of [1, 15, 16, 33, 1000, 65_537]) expect(pool.take(length).length).toBeGreaterThanOrEqual(length);
});

test('growing keeps what was there and gives the smaller one back', () => {
  const pool = new ArrayPool(4, (length) => new Float64Array(length));
  const small = pool.take(4);
  small.set([1, 2, 3, 4]);
  const larger = pool.grow(small, 4, 5);
  expect([...larger.subarray(0, 4)]).toEqual([1, 2, 3, 4]);
  expect(larger.length).toBeGreaterThanOrEqual(8);
  expect(pool.take(4)).toBe(small);
});

test('no more than sixteen megabytes are kept: arrays given back beyond that are not seen again', () => {
  const pool = new ArrayPool(1024, (length) => new Uint8Array(length));
  const large = Array.from({ length: 20 }, () => pool.take(1024 * 1024));
  for (const array of large) pool.give(array);
  const again = Array.from({ length: 20 }, () => pool.take(1024 * 1024));
  expect(again.filter((array) => large.includes(array))).toHaveLength(16);
});
