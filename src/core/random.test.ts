import fc from 'fast-check';
import { expect, test } from 'vitest';
import { randomStream } from './random.ts';

// Made by another program (Python, from the published sfc32 and FNV-1a): a plan of an earlier version draws the same.
test('the same seed and name give the same numbers in any version and on any machine', () => {
  const drawn = (seed: number, name: string): number[] => {
    const stream = randomStream(seed, name);
    return [stream.next(), stream.next(), stream.next()];
  };
  expect(drawn(1, 'arrival')).toEqual([0.9614521918102255, 0.8029843196098305, 0.6760719073791723]);
  expect(drawn(2 ** 40 + 7, 'lengths')).toEqual([0.7374944434817405, 0.4937655454024467, 0.7043630726763879]);
  expect(randomStream(1, 'arrival').exponential()).toBe(-Math.log(0.9614521918102255));
  expect(randomStream(1, 'arrival').normal()).toBeCloseTo(0.09163138089470578, 14);
});

test('a whole number drawn below a bound is one of them', () => {
  const stream = randomStream(3, 'whole numbers');
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e9 }), (below) => {
      const drawn = stream.below(below);
      expect(Number.isInteger(drawn) && drawn >= 0 && drawn < below).toBe(true);
    }),
  );
  expect(new Set(Array.from({ length: 200 }, () => stream.below(4)))).toEqual(new Set([0, 1, 2, 3]));
});
