import { describe, expect, it } from 'vitest';
import type { ThinkLaw } from '../../core/index.ts';
import { thinkDrawer } from './draw-think.ts';

const n = 20_000;
const drawn = (law: ThinkLaw, seed = 1): number[] =>
  Array.from({ length: n }, (_, i) => thinkDrawer(law, seed, `talk ${i}`)(2));
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('thinking', () => {
  it('has the mean and the spread of its law', () => {
    const even = drawn({ law: 'uniform', minMs: 2000, maxMs: 8000 });
    // Standard deviation 6000/√12 = 1732; of the mean of 20,000 draws 12.2; five of them are 61.
    expect(Math.abs(mean(even) - 5000)).toBeLessThan(61);
    expect([Math.min(...even) >= 2000, Math.max(...even) <= 8000]).toEqual([true, true]);
    const waits = drawn({ law: 'exponential', meanMs: 5000 });
    // Standard deviation 5000; of the mean 35; five of them are 177. A share 1/e thinks longer than the mean.
    expect(Math.abs(mean(waits) - 5000)).toBeLessThan(177);
    expect(Math.abs(waits.filter((ms) => ms > 5000).length / n - 0.3679)).toBeLessThan(0.018);
  });

  it('is the same for the same seed, conversation and turn, and differs between turns', () => {
    const law: ThinkLaw = { law: 'exponential', meanMs: 1000 };
    expect(drawn(law)).toEqual(drawn(law));
    expect(thinkDrawer(law, 1, 'a')(2)).not.toBe(thinkDrawer(law, 1, 'a')(3));
  });
});
