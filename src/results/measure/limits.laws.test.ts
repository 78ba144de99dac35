import { describe, expect, test } from 'vitest';
import { exchange } from '../../../test/made-exchanges.ts';
import { quantile, randomStream } from '../../core/index.ts';
import { holds } from './gate.ts';
import { makeLogHistogram } from './log-histogram.ts';
import { outsideSilences } from './silence.ts';
import { parseSlo, withinLimit } from './slo.ts';
import { steadyWindow } from './steady-window.ts';
import { logGamma, normalQuantile, regularizedBeta, studentQuantile, studentTail } from './student.ts';
import { makeTimeBuckets } from './time-buckets.ts';
import { cdfOf, requestSpans, timelineOf } from './timeline.ts';
import { makeTrace } from './trace.ts';
import { weightedDistribution, weightedQuantile } from './weighted-distribution.ts';

test('a value at its limit keeps <= and >=, and breaks < and >', () => {
  const kept = (['<', '<=', '>', '>='] as const).map((op) => {
    const at = (value: number) => [holds(op, value, 5), withinLimit(parseSlo(`latency${op}5ms`), value)];
    return [op, ...at(4), ...at(5), ...at(6)];
  });
  expect(kept).toEqual([
    ['<', true, true, false, false, false, false],
    ['<=', true, true, true, true, false, false],
    ['>', false, false, false, false, true, true],
    ['>=', false, false, true, true, true, true],
  ]);
});

describe('distributions against their closed forms', () => {
  test('gamma: factorials, and the root of pi', () => {
    let factorial = 1;
    for (let n = 1; n <= 30; n++) {
      expect(Math.abs(logGamma(n) - Math.log(factorial))).toBeLessThan(1e-12 * Math.max(1, Math.log(factorial)));
      factorial *= n;
    }
    expect(logGamma(0.5)).toBeCloseTo(Math.log(Math.PI) / 2, 12);
    expect(logGamma(2.5)).toBeCloseTo(Math.log(0.75 * Math.sqrt(Math.PI)), 12);
  });
  test('beta: powers where one parameter is 1, a half in the middle, and the two tails are one', () => {
    for (const x of [1e-6, 0.01, 0.2, 0.5, 0.7, 0.97, 1 - 1e-9])
      for (const a of [0.5, 1, 3, 20, 400]) {
        expect(regularizedBeta(x, a, 1)).toBeCloseTo(x ** a, 12);
        expect(regularizedBeta(x, 1, a)).toBeCloseTo(1 - (1 - x) ** a, 12);
        expect(regularizedBeta(0.5, a, a)).toBeCloseTo(0.5, 12);
        expect(regularizedBeta(x, a, 2.5) + regularizedBeta(1 - x, 2.5, a)).toBeCloseTo(1, 12);
      }
    expect([regularizedBeta(0, 2, 3), regularizedBeta(1, 2, 3), regularizedBeta(-1, 2, 3)]).toEqual([0, 1, 0]);
    // 3x² − 2x³, and a binomial tail: P(X ≥ 3) of ten coins.
    expect(regularizedBeta(0.3, 2, 2)).toBeCloseTo(0.216, 12);
    expect(regularizedBeta(0.5, 3, 8)).toBeCloseTo(968 / 1024, 12);
  });
  test('Student: Cauchy for one degree of freedom, a root for two, the normal for very many', () => {
    for (const t of [0, 0.1, 1, 3, 50]) {
      expect(studentTail(t, 1)).toBeCloseTo(0.5 - Math.atan(t) / Math.PI, 12);
      expect(studentTail(t, 2)).toBeCloseTo((1 - t / Math.sqrt(2 + t * t)) / 2, 12);
    }
    expect([studentQuantile(0.5, 4), studentQuantile(0.1, 3)]).toEqual([0, -studentQuantile(0.9, 3)]);
    expect(studentQuantile(0.99999, 1) / Math.tan(Math.PI * 0.49999)).toBeCloseTo(1, 6);
    expect(studentQuantile(0.975, 1e7)).toBeCloseTo(normalQuantile(0.975), 5);
  });
  test('the normal: its quantiles in the middle and far out (SciPy), and what is none', () => {
    expect(normalQuantile(0.3)).toBeCloseTo(-0.5244005127080409, 12);
    expect(normalQuantile(1e-10)).toBeCloseTo(-6.361340902404056, 12);
    expect(normalQuantile(0.5)).toBeCloseTo(0, 12);
    expect([0, 1, 2, -1, NaN].map(normalQuantile)).toEqual([-Infinity, Infinity, NaN, NaN, NaN]);
  });
});

describe('quantiles', () => {
  test('of values with whole weights are those of the values repeated', () => {
    const random = randomStream(3, 'weights');
    for (let round = 0; round < 40; round++) {
      const values = Array.from({ length: 1 + random.below(8) }, () => random.below(50)).toSorted((a, b) => a - b);
      const weights = values.map(() => 1 + random.below(4));
      const repeated = values.flatMap((value, i) => Array.from({ length: weights[i]! }, () => value));
      const told = weightedDistribution(values, weights)!;
      for (const rank of [50, 75, 90, 99] as const)
        expect(told[`p${rank}`]).toBeCloseTo(quantile(Float64Array.from(repeated), rank / 100)!, 9);
      expect([told.n, told.min, told.max]).toEqual([repeated.length, repeated[0], repeated.at(-1)]);
      expect(told.mean).toBeCloseTo(repeated.reduce((sum, value) => sum + value, 0) / repeated.length, 9);
    }
    expect([weightedQuantile([], [], 0.5), weightedDistribution([], [])]).toEqual([null, null]);
    // Less than one sample in all: its first value.
    expect(weightedQuantile([3, 9], [0.2, 0.5], 0.99)).toBe(3);
  });
  test('of a histogram are within a thousandth, of the smallest within a millionth; ends and mean are exact', () => {
    const random = randomStream(4, 'histogram');
    const [one, other] = [makeLogHistogram(), makeLogHistogram()];
    const values = Array.from({ length: 999 }, () => Math.exp(3 * random.normal()));
    values.push(0, 1e-6, 5e-7);
    for (const [i, value] of values.entries()) (i % 2 === 0 ? one : other).add(value, 1);
    one.merge(other);
    const ascending = Float64Array.from(values).sort();
    const told = one.distribution()!;
    for (const rank of [50, 75, 90, 95, 99] as const) {
      const exact = quantile(ascending, rank / 100)!;
      expect(Math.abs(told[`p${rank}`]! / exact - 1)).toBeLessThan(0.0011);
    }
    expect([told.min, told.max, told.n]).toEqual([0, ascending.at(-1), 1002]);
    expect(told.mean! / (values.reduce((sum, value) => sum + value, 0) / 1002)).toBeCloseTo(1, 6);
    expect(one.speeds()!.p1! / quantile(ascending, 0.01)!).toBeCloseTo(1, 2);
    expect([makeLogHistogram().distribution(), makeLogHistogram().speeds()]).toEqual([null, null]);
    const small = makeLogHistogram();
    small.add(4e-7, 2);
    small.add(9e-7, 1);
    expect(Math.abs(small.distribution()!.p50! - 4e-7)).toBeLessThan(1e-6);
  });
});

test('buckets of time: a moment belongs to the bucket it begins, what was before zero to the first, and all of it is kept', () => {
  const [one, other] = [makeTimeBuckets(), makeTimeBuckets()];
  for (const [at, amount] of [
    [-50, 1],
    [0, 2],
    [99.9, 4],
    [100, 8],
    [25_650, 16],
  ] as const)
    one.add(at, amount);
  other.add(60_000, 32.5);
  expect([one.between(0, 100), one.between(100, 200), one.between(200, 25_600), one.between(25_600, 25_700)]).toEqual([
    7, 8, 0, 16,
  ]);
  one.merge(other);
  expect([one.between(0, 1e6), one.between(60_000, 60_100), one.between(-500, 100), one.contents().length]).toEqual([
    63.5, 32.5, 7, 601,
  ]);
});

describe('the steady part', () => {
  const of = (
    times: readonly (readonly [number, number])[],
    concurrency: number | null,
    silences = [] as { fromMs: number; toMs: number }[],
  ) =>
    steadyWindow(
      { kind: 'closed', concurrency },
      {
        dueMs: Float64Array.from(times, ([sent]) => sent),
        sentMs: Float64Array.from(times, ([sent]) => sent),
        endMs: Float64Array.from(times, ([, end]) => end),
        meanLatencyMs: 1,
        silences,
      },
    );
  /** Two slots whose first two requests end at 300 and 450; the last is sent at `last`. */
  const loop = (last: number) =>
    [
      [0, 300],
      [10, 450],
      [300, 900],
      [450, 1000],
      [900, 1200],
      [last, last + 100],
    ] as const;
  test('of a closed loop is from when as many have ended as are asked for until the last send, to whole tenths inside', () => {
    expect(of(loop(1599), 2)).toEqual({ fromMs: 500, toMs: 1500 });
    expect(of(loop(1499), 2)).toBeNull();
    expect(of(loop(2000), 2)).toEqual({ fromMs: 500, toMs: 2000 });
    expect([of(loop(2000), 3), of(loop(2000), null), of([], 2)]).toEqual([null, null, null]);
    expect(of(loop(2000), 1)).toEqual({ fromMs: 300, toMs: 2000 });
  });
  test('of an open loop is from the first due time and a mean latency until the last, whatever the order', () => {
    const open = (dueMs: number[], meanLatencyMs: number | null) =>
      steadyWindow(
        { kind: 'open', concurrency: null },
        { dueMs: Float64Array.from(dueMs), sentMs: new Float64Array(), endMs: new Float64Array(), meanLatencyMs },
      );
    expect(open([5000, 100, 2000], 250)).toEqual({ fromMs: 400, toMs: 5000 });
    expect([open([0, 1000], 0), open([0, 1099], 1), open([], 5), open([0, 5000], null)]).toEqual([
      { fromMs: 0, toMs: 1000 },
      null,
      null,
      null,
    ]);
  });
  test('is the longest part that no silence touches', () => {
    const window = { fromMs: 0, toMs: 10_000 };
    const beside = (...silences: [number, number][]) =>
      outsideSilences(
        window,
        silences.map(([fromMs, toMs]) => ({ fromMs, toMs })),
      );
    expect([
      beside(),
      beside([2000, 3000]),
      beside([4000, 5000], [6000, 9000]),
      beside([0, 10_000]),
      beside([-5, 500], [9000, 12_000]),
    ]).toEqual([
      window,
      { fromMs: 3000, toMs: 10_000 },
      { fromMs: 0, toMs: 4000 },
      { fromMs: 0, toMs: 0 },
      { fromMs: 500, toMs: 9000 },
    ]);
    expect(beside([1000, 8000], [2000, 3000])).toEqual({ fromMs: 8000, toMs: 10_000 });
  });
});

describe('a run over time', () => {
  const trace = (...exchanges: ReturnType<typeof exchange>[]) => {
    const made = makeTrace({ kind: 'closed', concurrency: 2 });
    for (const one of exchanges) made.add(one);
    return made;
  };
  test('holds all of its request-time, requests and tokens, however it is cut', () => {
    const random = randomStream(6, 'timeline');
    const all = Array.from({ length: 300 }, (_, i) => {
      const sent = 100 + random.below(20_000);
      const first = sent + 1 + random.below(700);
      return exchange(i, sent, [first, first + 1 + random.below(2500)]);
    });
    const whole = trace(...all);
    const span = whole.span()!;
    const lengthMs = span.toMs - span.fromMs;
    for (const most of [1, 7, 37, 120]) {
      const steps = timelineOf(whole, most);
      expect(steps.length).toBeLessThanOrEqual(most);
      // From the middles of the stretches follow their lengths.
      let edge = 0;
      let [busy, requests, tokens] = [0, 0, 0];
      for (const step of steps) {
        const width = 2 * (step.atMs - edge);
        edge += width;
        busy += step.inFlight * width;
        requests += (step.requestsPerSec * width) / 1000;
        tokens += (step.outputTokensPerSec * width) / 1000;
      }
      expect(edge).toBeCloseTo(lengthMs, 6);
      expect(busy).toBeCloseTo(
        all.reduce((sum, { sentMs, endMs }) => sum + endMs - sentMs!, 0),
        4,
      );
      expect([Math.round(requests), Math.round(tokens)]).toEqual([300, 600]);
    }
    expect(timelineOf(trace())).toEqual([]);
  });
  test('says the first tokens of what was sent in each stretch', () => {
    const list = Array.from({ length: 20 }, (_, i) => exchange(i, 100 * i, [100 * i + 10 * (i + 1), 100 * i + 250]));
    const steps = timelineOf(trace(...list), 10);
    // Ten stretches would be of 215 ms: of 300, then, with three requests in each.
    expect(steps.map(({ ttftMs }) => ttftMs.p50)).toEqual([20, 50, 80, 110, 140, 170, 195, null]);
    expect(steps[0]!.itlMs.p50).toBe(230);
  });
  test('as shares: both ends, and every one of few', () => {
    const list = Array.from({ length: 5 }, (_, i) => exchange(i, 0, [1, 10 * (5 - i)]));
    const of = (most?: number) => cdfOf(trace(...list), 'latencyMs', most).map(({ share, value }) => [share, value]);
    expect(of()).toEqual([
      [0.2, 10],
      [0.4, 20],
      [0.6, 30],
      [0.8, 40],
      [1, 50],
    ]);
    expect([of(3), of(2), of(1)]).toEqual([
      [
        [0.2, 10],
        [0.6, 30],
        [1, 50],
      ],
      [
        [0.2, 10],
        [1, 50],
      ],
      [[0.2, 10]],
    ]);
    expect(cdfOf(trace(), 'latencyMs')).toEqual([]);
  });
  test('as bars: in the order of sending, thinned evenly, from the first send', () => {
    const list = Array.from({ length: 7 }, (_, i) => exchange(i, 100 + 10 * (i % 4), [200 + i]));
    const bars = (most: number) =>
      requestSpans(trace(...list, exchange(9, 300, [], { sentMs: null, outcome: 'cancelled' })), most);
    expect(bars(7).map(({ seq }) => seq)).toEqual([0, 4, 1, 5, 2, 6, 3]);
    expect(bars(6).map(({ seq }) => seq)).toEqual([0, 1, 2, 3]);
    expect(bars(7)[2]).toEqual({ seq: 1, sentMs: 10, firstOutputMs: 101, endMs: 101, ok: true });
  });
});
