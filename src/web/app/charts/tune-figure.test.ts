import fc from 'fast-check';
import { expect, test } from 'vitest';
import { paretoFront } from './tune-figure.ts';

const points = fc.array(fc.record({ x: fc.integer({ min: 0, max: 9 }), y: fc.integer({ min: 0, max: 9 }) }), {
  minLength: 1,
  maxLength: 30,
});

test('no point of the front is beaten, and every other point is, by one of the front', () => {
  fc.assert(
    fc.property(points, (all) => {
      // Less x and more y is better.
      const beats = (a: { x: number; y: number }, b: { x: number; y: number }): boolean =>
        a.x <= b.x && a.y >= b.y && (a.x < b.x || a.y > b.y);
      const front = paretoFront(all, true, false);
      expect(front.length).toBeGreaterThan(0);
      for (const one of front) expect(all.some((other) => beats(other, one))).toBe(false);
      for (const one of all.filter((point) => !front.includes(point)))
        expect(front.some((other) => beats(other, one))).toBe(true);
      expect(front.map(({ x }) => x)).toEqual(front.map(({ x }) => x).toSorted((a, b) => a - b));
    }),
  );
});
