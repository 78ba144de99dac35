import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sampleDistribution, samplePoint } from '../../../test/sample-point.ts';
import type { Summary } from '../../core/index.ts';
import type { MachineFacts } from './efficiency.ts';
import { fixedSpeeds, frontierOf, frontierPoints, throughputAt } from './frontier.ts';
import type { FrontierPoint } from './frontier.ts';

const nobody: MachineFacts = { pricePerHour: null, cards: null, powerW: null };

function point(speed: number, perSec: number, changes: Partial<Summary> = {}): Summary {
  const userTokensPerSec = { ...sampleDistribution({ p50: speed }), p10: speed / 2, p1: speed / 4 };
  return samplePoint({ userTokensPerSec, outputTokensPerSec: perSec, ...changes });
}

const pointsOf = (all: readonly Summary[], machine = nobody, unit: 'system' | 'card' | 'watt' | 'price' = 'system') =>
  frontierPoints(
    all.map((one, x) => ({ x, runs: [one] })),
    unit,
    'p50',
    () => machine,
  );

const places = (all: readonly FrontierPoint[]): [number, number][] =>
  all.map(({ userTokensPerSec, throughput }) => [userTokensPerSec, throughput]);

const trade = fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 30 }));

describe('a frontier', () => {
  test('holds no dominated point, and dominates every other', () => {
    fc.assert(
      fc.property(fc.array(trade, { minLength: 1, maxLength: 20 }), (all) => {
        const points = pointsOf(all.map(([speed, perSec]) => point(speed, perSec)));
        const frontier = places(frontierOf(points));
        const beats = ([a, b]: [number, number], [c, d]: [number, number]): boolean =>
          a >= c && b >= d && (a > c || b > d);
        for (const one of frontier) expect(all.some((other) => beats(other, one))).toBe(false);
        for (const one of all)
          expect(frontier.some((other) => beats(other, one) || String(other) === String(one))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
  test('does not change by a worse point, nor by one that is not valid however good', () => {
    fc.assert(
      fc.property(fc.array(trade, { minLength: 1, maxLength: 12 }), fc.nat(), (all, pick) => {
        const known = all.map(([speed, perSec]) => point(speed, perSec));
        const [speed, perSec] = all[pick % all.length]!;
        const worse = point(speed * 0.9, perSec * 0.9);
        const broken = point(1000, 1000, { verdict: { valid: false, findings: [] } });
        const before = places(frontierOf(pointsOf(known)));
        expect(places(frontierOf(pointsOf([...known, worse, broken])))).toEqual(before);
      }),
      { numRuns: 200 },
    );
  });
  test('is straight where a step costs a + b·n: throughput between measured loads comes out exactly', () => {
    const [a, b] = [0.01, 0.0005];
    const at = (n: number): [number, number] => [1 / (a + b * n), n / (a + b * n)];
    const frontier = frontierOf(pointsOf([1, 8, 64, 256].map((n) => point(...at(n)))));
    for (const n of [2, 5, 17, 100, 200]) {
      const [speed, perSec] = at(n);
      expect(throughputAt(frontier, speed)).toBeCloseTo(perSec, 8);
    }
  });
  test('tells nothing beyond its ends', () => {
    const frontier = frontierOf(pointsOf([point(10, 100), point(30, 60)]));
    expect([9, 10, 20, 30, 31].map((speed) => throughputAt(frontier, speed))).toEqual([null, 100, 80, 60, null]);
  });
});

test('throughput by card, watt and price, worked out by hand', () => {
  // 1000 tokens/s on 8 cards, 2 kW and 36 an hour: 125 a card, half a token per joule, 3.6 million tokens for 36.
  const machine = { cards: 8, powerW: 2000, pricePerHour: 36 };
  const by = (unit: 'system' | 'card' | 'watt' | 'price'): number =>
    pointsOf([point(20, 1000)], machine, unit)[0]!.throughput;
  expect([by('system'), by('card'), by('watt'), by('price')]).toEqual([1000, 125, 0.5, 100_000]);
  expect(pointsOf([point(20, 1000)], nobody, 'card')).toEqual([]);
});

test('repetitions of a load are one point, their mean; one that is not valid spoils it', () => {
  const bad = point(30, 120, { verdict: { valid: false, findings: [] } });
  const of = (runs: Summary[]): FrontierPoint[] => frontierPoints([{ x: 8, runs }], 'system', 'p50', () => nobody);
  expect(of([point(20, 100), point(30, 120)])).toMatchObject([{ userTokensPerSec: 25, throughput: 110, valid: true }]);
  expect(of([point(20, 100), bad])).toMatchObject([{ load: 8, valid: false }]);
});

test('slow users are told where ten requests are as slow', () => {
  const of = (n: number, speed: 'p10' | 'p1'): number | undefined => {
    const one = point(40, 100);
    one.userTokensPerSec!.n = n;
    return frontierPoints([{ x: 8, runs: [one] }], 'system', speed, () => nobody)[0]?.userTokensPerSec;
  };
  expect([of(99, 'p10'), of(100, 'p10'), of(999, 'p1'), of(1000, 'p1')]).toEqual([undefined, 20, undefined, 10]);
});

test('a table has the usual speeds, and round ones where fewer than two are reached', () => {
  const between = (low: number, high: number): number[] =>
    fixedSpeeds([frontierOf(pointsOf([point(low, 100), point(high, 60)]))]);
  expect(between(8, 60)).toEqual([10, 20, 30, 50]);
  expect(between(31, 49)).toEqual([35, 40, 45]);
  expect(between(0.31, 0.66)).toEqual([0.4, 0.5, 0.6]);
  expect(between(20, 20)).toEqual([20]);
  expect(between(21, 21)).toEqual([]);
});
