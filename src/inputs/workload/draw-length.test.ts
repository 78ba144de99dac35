import { expect, test } from 'vitest';
import { randomStream } from '../../core/index.ts';
import type { LengthLaw } from '../../core/index.ts';
import { lengthDrawer, zipfPicker } from './draw-length.ts';

const drawn = (law: LengthLaw, n = 400): number[] => {
  const [draw, chance] = [lengthDrawer(law), randomStream(3, 'lengths')];
  return Array.from({ length: n }, () => draw(chance));
};

test.each([
  ['uniform', { law: 'uniform', min: 3, max: 7 }],
  ['zipf', { law: 'zipf', alpha: 0.5, min: 3, max: 7 }],
  ['normal', { law: 'normal', mean: 5, deviation: 4, min: 3, max: 7 }],
  ['lognormal', { law: 'lognormal', mean: 5, deviation: 4, min: 3, max: 7 }],
] as const)('%s lengths are every whole number between both ends, the ends too', (_, law) => {
  expect([...new Set(drawn(law as LengthLaw))].toSorted()).toEqual([3, 4, 5, 6, 7]);
});

test('a law that never lands between its bounds gives the mean, cut to them; one without bounds gives no length below 1', () => {
  expect(new Set(drawn({ law: 'normal', mean: 5, deviation: 0, min: 8, max: 9 }, 3))).toEqual(new Set([8]));
  expect(new Set(drawn({ law: 'normal', mean: 5, deviation: 0, min: 2, max: 3 }, 3))).toEqual(new Set([3]));
  const open = drawn({ law: 'normal', mean: 2, deviation: 3, min: null, max: null } as LengthLaw);
  expect([Math.min(...open), Math.max(...open) > 6]).toEqual([1, true]);
});

test('Zipf’s law gives number k as often as its weight says', () => {
  const [pick, chance, counts] = [zipfPicker(3, 1), randomStream(5, 'zipf'), [0, 0, 0]];
  for (let n = 0; n < 11_000; n++) counts[pick(chance)]! += 1;
  // 1, 1/2, 1/3 of 11/6: 6000, 3000, 2000, each within five standard deviations.
  expect(counts.map((count, k) => Math.abs(count - [6000, 3000, 2000][k]!) < 265)).toEqual([true, true, true]);
  expect(zipfPicker(1, 1)(chance)).toBe(0);
});
