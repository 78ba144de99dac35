import { expect, test } from 'vitest';
import type { Comparison } from '../../measure/index.ts';
import { comparisonScreen } from '../screen/compare-screen.ts';
import { forestOf } from './forest.ts';

const row = (metric: string, changeRatio: number | null, interval: [number, number] | null, significant: boolean) => ({
  metric,
  load: 8,
  values: [1, 2],
  basis: 'whole',
  comparable: true,
  changeRatio,
  interval,
  significant,
  pValue: null,
  changes: [{ changeRatio, interval, significant, pValue: null }],
});
const comparison = {
  metrics: [
    row('latency.p99', -0.28, [-0.35, -0.2], true),
    row('outputTokensPerSec', 0.1, [-0.02, 0.2], false),
    row('ttft.p99', 30, [20, 40], true),
    row('itl.p98', 1, null, false),
    row('failed', null, null, false),
  ],
} as unknown as Comparison;

test('a forest has a row for each metric a verdict rests on, on one scale, with the words of its verdict', () => {
  const { rows, zero, ends } = forestOf(comparison, 0)!;
  expect(rows.map(({ metric, change, verdict }) => [metric.en, change, verdict])).toEqual([
    ['tokens/s', '+10 %', 'same'],
    ['TTFT p99', '×31', 'worse'],
    ['latency p99', '−28 %', 'better'],
  ]);
  expect(ends).toEqual(['−35 %', '+200 % …']);
  for (const { at, from, to } of rows)
    for (const share of [at, from!, to!]) expect(share >= 0 && share <= 1).toBe(true);
  const [throughput, first, latency] = rows;
  expect(throughput!.from! < zero && throughput!.to! > zero).toBe(true);
  expect(first!.at).toBe(1);
  expect(latency!.from).toBe(0);
  expect(latency!.to! < zero).toBe(true);
});

test('nothing that changed is nothing to draw', () => {
  expect(forestOf({ metrics: [] } as unknown as Comparison, 0)).toBeNull();
});

test('a terminal with cells to spare draws it beside the table, one of 80 does not', () => {
  const whole = { ...comparison, names: ['a', 'b'], runs: ['a', 'b'], comparable: true, findings: [], gates: [] };
  const screen = (columns: number): string => comparisonScreen(whole as Comparison, { lang: 'en', columns });
  expect(screen(80)).not.toMatch(/[├●┤]/);
  const wide = screen(120).split('\n');
  const drawn = wide.filter((line) => line.includes('●'));
  expect(drawn).toHaveLength(3);
  // The better one keeps left of the line of no change, with its interval; all lines cross at one cell.
  const latency = drawn.find((line) => line.startsWith('latency p99'))!;
  expect(latency).toMatch(/├─*●─*┤ *│/);
  const throughput = drawn.find((line) => line.startsWith('tokens/s'))!;
  expect(latency.indexOf('│')).toBe(throughput.indexOf('┼'));
  expect(Math.max(...wide.map((line) => line.length))).toBeLessThanOrEqual(120);
});
