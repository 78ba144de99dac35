import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Arrival, LoadShape, RateShape } from '../../core/index.ts';
import { isDue, dueUnder, makePacer, rateAt } from './index.ts';

const n = 100_000;

const openLoad = (arrival: Arrival, ratePerSec: number, shape?: RateShape): LoadShape => ({
  kind: 'open',
  concurrency: null,
  ratePerSec,
  arrival,
  dropLate: false,
  ...(shape !== undefined && { shape }),
});

function dueMs(load: LoadShape, limits: { requests?: number; durationMs?: number }, seed = 7): number[] {
  const pacer = makePacer(load, { requests: limits.requests ?? null, durationMs: limits.durationMs ?? null }, seed);
  const times: number[] = [];
  for (;;) {
    const pacing = pacer.next({ sent: 0, inFlight: 0, nowMs: 0 });
    if (!isDue(pacing)) return times;
    times.push(pacing.atMs);
  }
}
const gapsOf = (times: readonly number[]): number[] => times.map((t, i) => t - (times[i - 1] ?? 0));
const mean = (xs: readonly number[]): number => xs.reduce((sum, x) => sum + x, 0) / xs.length;
const cvOf = (xs: readonly number[]): number => {
  const m = mean(xs);
  return Math.sqrt(mean(xs.map((x) => (x - m) ** 2))) / m;
};

// Mean and CV from the textbook: gamma with shape k has CV 1/√k, the uniform on (0, 2m) has CV 1/√3.
// Tolerances are five standard errors or more of 100,000 draws: of the mean CV/√n, of the CV the value given.
describe.each([
  ['gamma(0.25)', { process: 'gamma', shape: 0.25 }, 2, 0.06],
  ['gamma(0.5)', { process: 'gamma', shape: 0.5 }, Math.SQRT2, 0.035],
  ['gamma(1), which is Poisson', { process: 'gamma', shape: 1 }, 1, 0.0158],
  ['gamma(4)', { process: 'gamma', shape: 4 }, 0.5, 0.008],
  ['uniform', { process: 'uniform' }, 1 / Math.sqrt(3), 0.006],
  ['poisson', { process: 'poisson' }, 1, 0.0158],
  ['constant', { process: 'constant' }, 0, 1e-9],
] as const)('%s over 100,000 draws', (_, arrival, cv, slack) => {
  const times = dueMs(openLoad(arrival, 50), { requests: n + 1 });
  const gaps = gapsOf(times).slice(1);

  it('law: the mean gap is one over the rate', () => {
    expect(Math.abs(mean(gaps) / 20 - 1)).toBeLessThan(Math.max((5 * cv) / Math.sqrt(n), 1e-9));
  });

  it('law: the coefficient of variation is the one of the process', () => {
    expect(Math.abs((cv === 0 ? cvOf(gaps.map((g) => g + 0)) : cvOf(gaps)) - cv)).toBeLessThan(slack);
  });

  // A random process puts 1 % of its asks into the 10 ms around whole seconds; constant at 50/s puts one in 50 there by design.
  it('law: no mass on round seconds', () => {
    const near = times.filter((t) => t % 1000 < 5 || t % 1000 > 995).length;
    if (arrival.process === 'constant') expect(near).toBeLessThan(n / 49);
    else expect(Math.abs(near - n / 100)).toBeLessThan(5 * Math.sqrt(n / 100) * Math.max(1, cv));
  });
});

describe('gamma quantiles', () => {
  // Gamma(1/2) with mean 1 is χ²₁: its median is 0.4549 and P(X < 3.841) = 0.95 (any table of χ² with 1 degree).
  it('law: shape 1/2 with mean 1 is chi-squared with one degree of freedom', () => {
    const gaps = gapsOf(dueMs(openLoad({ process: 'gamma', shape: 0.5 }, 1000), { requests: n }));
    const below = (x: number): number => gaps.filter((gap) => gap < x).length / n;
    expect(Math.abs(below(0.4549) - 0.5)).toBeLessThan(0.008);
    expect(Math.abs(below(3.841) - 0.95)).toBeLessThan(0.0035);
  });
});

describe('rates that change', () => {
  const linear = (from: number, to: number, sec: number): RateShape => ({
    kind: 'stages',
    stages: [{ fromPerSec: from, toPerSec: to, forMs: sec * 1000, curve: 'linear' }],
  });
  const steps = (...rates: number[]): RateShape => ({
    kind: 'stages',
    stages: rates.map((rate) => ({ fromPerSec: rate, toPerSec: rate, forMs: 10_000, curve: 'linear' as const })),
  });

  // On paper: 0 → 10/s in 10 s is 50 asks; ask number k (from 0, evenly spaced) is due at √(2k) seconds.
  it('a linear ramp from nothing puts ask k at √(2k) seconds, then holds its end rate', () => {
    const times = dueMs(openLoad({ process: 'constant' }, 10, linear(0, 10, 10)), { requests: 61 });
    expect(times[0]).toBe(0);
    expect(times[2]).toBeCloseTo(2000, 6);
    expect(times[8]).toBeCloseTo(4000, 6);
    expect(times[50]).toBeCloseTo(10_000, 6);
    expect(times[60]).toBeCloseTo(11_000, 6);
  });

  // On paper: 1 → 4/s over 10 s exponentially is 3/ln 4 · 10 = 21.6404 asks, half of the growth (2/s) at 5 s after 7.2135.
  it('an exponential ramp has the area (b − a)/ln(b/a)', () => {
    const due = dueUnder({
      kind: 'stages',
      stages: [{ fromPerSec: 1, toPerSec: 4, forMs: 10_000, curve: 'exponential' }],
    });
    expect(due(7.2134752)).toBeCloseTo(5000, 3);
    expect(due(21.6404256)).toBeCloseTo(10_000, 3);
    expect(due(25.6404256)).toBeCloseTo(11_000, 3);
  });

  it('steps hold each rate for its time; a pause of rate 0 is skipped over', () => {
    const times = dueMs(openLoad({ process: 'constant' }, 5, steps(1, 0, 4)), { durationMs: 30_000 });
    expect(times.slice(0, 10)).toEqual([0, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000]);
    expect(times.slice(10, 13)).toEqual([20_000, 20_250, 20_500]);
    expect(times).toHaveLength(50);
  });

  // A Poisson count has variance = mean: five standard deviations of 20,000 are 707, of 80,000 are 1414.
  it('law: Poisson through a spike has as many asks in each part as the rate says', () => {
    const spike: RateShape = {
      kind: 'stages',
      stages: [
        { fromPerSec: 200, toPerSec: 200, forMs: 100_000, curve: 'linear' },
        { fromPerSec: 8000, toPerSec: 8000, forMs: 10_000, curve: 'linear' },
        { fromPerSec: 200, toPerSec: 200, forMs: 100_000, curve: 'linear' },
      ],
    };
    const times = dueMs(openLoad({ process: 'poisson' }, 500, spike), { durationMs: 210_000 });
    const between = (a: number, b: number): number => times.filter((t) => t >= a && t < b).length;
    expect(Math.abs(between(0, 100_000) - 20_000)).toBeLessThan(707);
    expect(Math.abs(between(100_000, 110_000) - 80_000)).toBeLessThan(1414);
    expect(Math.abs(between(110_000, 210_000) - 20_000)).toBeLessThan(707);
  });

  // Over the first half period of mean 100 and swing 50 per second, period 60 s, the area is 30·100 + 50·60/π = 3954.93.
  it('a sine has its crest in the first half of each period', () => {
    const due = dueUnder({ kind: 'sine', meanPerSec: 100, swingPerSec: 50, periodMs: 60_000 });
    expect(due(3954.9297)).toBeCloseTo(30_000, 1);
    expect(due(6000)).toBeCloseTo(60_000, 1);
    expect(due(60_000)).toBeCloseTo(600_000, 1);
  });

  it('law: due times rise, and asks per short while equal the rate at that moment', () => {
    const rate = fc.integer({ min: 1, max: 500 });
    const stage = fc.record({
      fromPerSec: rate,
      toPerSec: rate,
      forMs: fc.integer({ min: 100, max: 60_000 }),
      curve: fc.constantFrom('linear' as const, 'exponential' as const),
    });
    const shapes = fc.oneof(
      fc.array(stage, { minLength: 1, maxLength: 4 }).map((stages): RateShape => ({ kind: 'stages', stages })),
      fc
        .record({
          meanPerSec: rate,
          part: fc.double({ min: 0, max: 0.95, noNaN: true }),
          periodMs: fc.integer({ min: 1000, max: 60_000 }),
        })
        .map(({ meanPerSec, part, periodMs }): RateShape => ({
          kind: 'sine',
          meanPerSec,
          swingPerSec: meanPerSec * part,
          periodMs,
        })),
    );
    fc.assert(
      fc.property(shapes, fc.double({ min: 0, max: 2000, noNaN: true }), (shape, asks) => {
        const due = dueUnder(shape);
        const [a, b] = [due(asks), due(asks + 0.01)];
        expect(b).toBeGreaterThan(a);
        const middle = rateAt(shape, (a + b) / 2);
        // Between two stages the rate may jump within the step.
        const [before, after] = [rateAt(shape, a), rateAt(shape, b)];
        const seen = 0.01 / ((b - a) / 1000);
        expect(seen).toBeGreaterThan(Math.min(middle, before, after) * 0.98 - 1e-6);
        expect(seen).toBeLessThan(Math.max(middle, before, after) * 1.02 + 1e-6);
      }),
      { seed: 20_260_720, numRuns: 300 },
    );
  });

  it('law: a shape that is flat gives the due times of the plain rate', () => {
    const flat = dueMs(openLoad({ process: 'poisson' }, 20), { requests: 1000 });
    const shaped = dueMs(openLoad({ process: 'poisson' }, 20, linear(20, 20, 5)), { requests: 1000 });
    for (const [i, t] of shaped.entries()) expect(t).toBeCloseTo(flat[i]!, 6);
  });
});

describe('trace replay', () => {
  const load = (speed: number): LoadShape => openLoad({ process: 'trace', gapsMs: [5, 0, 100, 20.5], speed }, 1);

  it('keeps every recorded gap, at any speed, and ends with the trace', () => {
    expect(dueMs(load(1), {})).toEqual([5, 5, 105, 125.5]);
    expect(dueMs(load(2), {})).toEqual([2.5, 2.5, 52.5, 62.75]);
    expect(dueMs(load(0.5), {})).toEqual([10, 10, 210, 251]);
  });

  it('is cut by the limits of the run like any other schedule', () => {
    expect(dueMs(load(1), { requests: 2 })).toEqual([5, 5]);
    expect(dueMs(load(1), { durationMs: 105 })).toEqual([5, 5]);
  });

  it('law: 100,000 recorded gaps come out as they were recorded', () => {
    const gapsMs = Array.from({ length: n }, (_, i) => (i * 7919) % 13);
    const times = dueMs(openLoad({ process: 'trace', gapsMs, speed: 1 }, 1), {});
    expect(gapsOf(times)).toEqual(gapsMs);
  });
});
