import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nearest } from './nearest.ts';

const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), minLength: 1, maxLength: 12 });
/** Fewest letters put in, taken out or changed that make one word of another, as its definition says it. */
function changes(a: string, b: string): number {
  if (a === '' || b === '') return Math.max(a.length, b.length);
  if (a[0] === b[0]) return changes(a.slice(1), b.slice(1));
  return 1 + Math.min(changes(a.slice(1), b), changes(a, b.slice(1)), changes(a.slice(1), b.slice(1)));
}

test('what is meant is the name with the fewest changes, the first of such, and never more than two or a third', () => {
  const short = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(short, fc.array(short, { maxLength: 5 }), (typed, names) => {
      const far = names.map((name) => changes(typed, name));
      const least = Math.min(...far);
      expect(nearest(typed, names)).toBe(least <= 2 ? names[far.indexOf(least)] : null);
    }),
  );
});

test('of a long word a third may be wrong, in capitals or not', () => {
  fc.assert(
    fc.property(letters, fc.integer({ min: 1, max: 6 }), (word, wrong) => {
      const name = `${word}${'z'.repeat(20)}`;
      const typed = `${word}${'z'.repeat(20 - wrong)}${'Q'.repeat(wrong)}`;
      expect(nearest(typed, [name.toUpperCase()])).toBe(
        wrong <= Math.max(2, Math.floor(typed.length / 3)) ? name.toUpperCase() : null,
      );
    }),
  );
  expect(nearest(`${'z'.repeat(8)}qqqq`, ['z'.repeat(12)])).toBe('z'.repeat(12));
  expect(nearest(`${'z'.repeat(7)}qqqqq`, ['z'.repeat(12)])).toBeNull();
});
