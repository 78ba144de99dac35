import { expect, test } from 'vitest';
import { TimedSample } from './timed-sample.ts';

test('few values are all kept, with their times', () => {
  const sample = new TimedSample();
  for (let i = 0; i < 3000; i++) sample.add(i, 3000 - i);
  expect(sample.n).toBe(3000);
  expect([...sample.sorted()]).toEqual(Array.from({ length: 3000 }, (_, i) => i + 1));
  const bins = sample.bins(100);
  expect([bins.size, bins.get(7)!.length, bins.get(7)![0]]).toEqual([30, 100, 2300]);
});

test('of very many every second, fourth … is kept: memory is bounded, and quantiles and times stay', () => {
  const sample = new TimedSample();
  const count = 5_000_000;
  for (let i = 0; i < count; i++) sample.add(i / 1000, i);
  const sorted = sample.sorted();
  expect(sample.n).toBe(count);
  expect(sorted.length).toBeLessThanOrEqual(2 ** 21);
  expect(sorted.length).toBeGreaterThan(2 ** 19);
  for (const share of [0.01, 0.5, 0.99]) {
    expect(Math.abs(sorted[Math.floor(share * sorted.length)]! - share * count)).toBeLessThan(16);
  }
  expect(sample.bins(1000).size).toBe(5);
});
