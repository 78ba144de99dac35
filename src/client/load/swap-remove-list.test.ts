import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SwapRemoveList } from './swap-remove-list.ts';

test('holds what was added and not taken out, whatever the order, as a set does', () => {
  const moves = fc.array(fc.tuple(fc.boolean(), fc.nat(9)), { maxLength: 60 });
  fc.assert(
    fc.property(moves, (list) => {
      const items = Array.from({ length: 10 }, (_, name) => ({ name, place: -1 }));
      const placed = new SwapRemoveList<(typeof items)[number]>();
      const set = new Set<number>();
      for (const [adds, name] of list) {
        if (!adds) placed.delete(items[name]!);
        else if (!set.has(name)) placed.add(items[name]!);
        if (adds) set.add(name);
        else set.delete(name);
        const seen: number[] = [];
        placed.each((item) => seen.push(item.name));
        expect(seen.toSorted()).toEqual([...set].toSorted());
        expect(placed.size).toBe(set.size);
      }
    }),
    { seed: 3 },
  );
});

test('visits each one once, also when they go while they are visited', () => {
  const items = Array.from({ length: 7 }, (_, name) => ({ name, place: -1 }));
  const placed = new SwapRemoveList<(typeof items)[number]>();
  for (const item of items) placed.add(item);
  const seen: number[] = [];
  placed.each((item) => {
    seen.push(item.name);
    if (item.name % 2 === 0) placed.delete(item);
  });
  expect(seen.toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(placed.size).toBe(3);
});
