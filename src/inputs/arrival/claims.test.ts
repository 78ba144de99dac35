import fc from 'fast-check';
import { expect, test } from 'vitest';
import { claimsOf, onlyPlace, partOf } from './claims.ts';

test('parts of slots sum up to all, differ by one at most, and the larger ones stand first', () => {
  fc.assert(
    fc.property(fc.nat(5000), fc.integer({ min: 1, max: 64 }), (slots, of) => {
      const parts = Array.from({ length: of }, (_, index) => partOf(slots, index, of));
      expect(parts.reduce((sum, part) => sum + part, 0)).toBe(slots);
      expect(parts).toEqual(parts.toSorted((a, b) => b - a));
      expect(parts[0]! - parts.at(-1)!).toBeLessThanOrEqual(1);
    }),
  );
});

test('each number is owned by one thread, and claims count up over all of them', () => {
  const counter = new Int32Array(1);
  const places = [0, 1, 2].map((index) => claimsOf({ ...onlyPlace(), index, of: 3 }, counter, 7));
  for (let seq = 0; seq < 9; seq++)
    expect(places.map((claims) => claims.owns(seq, 0, 0))).toEqual([0, 1, 2].map((i) => seq % 3 === i));
  expect([places[0]!.claim(), places[2]!.claim(), places[0]!.claim()]).toEqual([0, 1, 2]);
  expect(places.map((claims) => claims.part())).toEqual([
    { index: 0, of: 3, slots: 3 },
    { index: 1, of: 3, slots: 2 },
    { index: 2, of: 3, slots: 2 },
  ]);
  expect(claimsOf(onlyPlace(), counter, null).part()).toEqual({ index: 0, of: 1, slots: 0 });
});
