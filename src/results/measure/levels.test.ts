import { describe, expect, test } from 'vitest';
import { randomStream } from '../../core/index.ts';
import { levelsOf } from './levels.ts';
import type { Scaled } from './levels.ts';

/** A history of runs that differ by 2 % from night to night, each sure of itself to `error`. */
function history(
  seed: number,
  nights: number,
  levelAt: (night: number) => number,
  error: number | null = 0.01,
): Scaled[] {
  const stream = randomStream(seed, 'nights');
  return Array.from({ length: nights }, (_, i) => ({
    y: Math.log(100) + levelAt(i) + 0.02 * stream.normal(),
    error,
    freedom: 29,
  }));
}

const seeds = Array.from({ length: 200 }, (_, i) => i);

describe('where a history changes its level', () => {
  test.each([2, 3, 5, 6, 12, 40, 100])(
    'law: of 200 histories of %d nights in which nothing changed at most 5 % are marked (within chance)',
    (nights) => {
      // A run of few nights can only be sure by its own error: it is told the true one here.
      const marked = seeds.filter((seed) => levelsOf(history(seed, nights, () => 0, 0.02)).length > 0);
      // 5 % of 200 is 10; 17 is the 98.6 % point of that binomial law.
      expect(marked.length).toBeLessThanOrEqual(17);
    },
  );
  test('law: a night 12 % slower than the forty before it is marked in 9 of 10 of 200 histories, there and nowhere else', () => {
    const found = seeds.filter((seed) => {
      const edges = levelsOf(history(seed, 41, (i) => (i === 40 ? 0.12 : 0)));
      return edges.length === 1 && edges[0] === 40;
    });
    expect(found.length).toBeGreaterThanOrEqual(180);
  });
  test('law: a week that was 8 % slower is marked at both ends, to a night, in 9 of 10 of 200 histories', () => {
    const found = seeds.filter((seed) => {
      const edges = levelsOf(history(seed, 60, (i) => (i >= 20 && i < 27 ? 0.08 : 0)));
      return edges.length === 2 && Math.abs(edges[0]! - 20) <= 1 && Math.abs(edges[1]! - 27) <= 1;
    });
    expect(found.length).toBeGreaterThanOrEqual(180);
  });
  test('nights that differ more than each knows of itself are no changes', () => {
    const marked = seeds.filter((seed) => levelsOf(history(seed, 30, () => 0, 0.001)).length > 0);
    expect(marked.length).toBeLessThanOrEqual(17);
  });
  test('three hundred nights with two steps show the two steps', () => {
    const edges = levelsOf(history(7, 300, (i) => (i < 120 ? 0 : i < 210 ? -0.05 : 0.03)));
    expect(edges.length).toBe(2);
    expect(Math.abs(edges[0]! - 120)).toBeLessThanOrEqual(2);
    expect(Math.abs(edges[1]! - 210)).toBeLessThanOrEqual(2);
  });
  test('few runs whose requests are not at hand say nothing', () => {
    expect(levelsOf(history(1, 5, (i) => i, null))).toEqual([]);
  });
});
