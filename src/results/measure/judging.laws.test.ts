import { expect, test } from 'vitest';
import { exchange } from '../../../test/made-exchanges.ts';
import { sampleDistribution, samplePoint } from '../../../test/sample-point.ts';
import { problem } from '../../core/index.ts';
import type { Exchange, Summary } from '../../core/index.ts';
import { checkSlo, judgesSteadyPart, metricOf } from './check-slo.ts';
import { holm } from './compare.ts';
import type { ComparedMetricRow, ComparedRun } from './compare.ts';
import { correlationFactor, deviation } from './correlation.ts';
import { perSec } from './figures.ts';
import { fixedSpeeds, frontierPoints, throughputAt } from './frontier.ts';
import { loadShare } from './load-explains.ts';
import { makeMeter } from './meter.ts';
import { parseSlo } from './slo.ts';

test('the last five seconds are those that have ended, and all there is of a shorter run', () => {
  const meter = makeMeter({ load: { kind: 'closed', concurrency: 1 }, stream: true });
  for (const end of [900, 1000, 5999, 6000, 6099]) meter.add(exchange(end, end - 500, [end - 400, end]));
  const recent = (nowMs: number) => meter.peek(nowMs).recent;
  expect(recent(6000)).toEqual({ requestsPerSec: 0.4, outputTokensPerSec: 0.8 });
  expect([recent(6099), recent(6100), recent(1000).requestsPerSec, recent(50).requestsPerSec]).toEqual([
    { requestsPerSec: 0.4, outputTokensPerSec: 0.8 },
    { requestsPerSec: 0.6, outputTokensPerSec: 1.2 },
    1,
    null,
  ]);
  expect(meter.peek()).toMatchObject({ recorded: 5, ok: 5, latencyMs: 500, ttftMs: 100 });
});

test('one request that was asked to wait tells how long; one that was only asked again tells no wait', () => {
  const retries = (more: Partial<Exchange>) => {
    const meter = makeMeter({ load: { kind: 'closed', concurrency: 1 }, stream: true });
    meter.add(exchange(0, 0, [10]));
    meter.add(exchange(1, 0, [10], more));
    return meter.read().retries;
  };
  const refused = { outcome: 'failed', problem: { ...problem('http-429'), retryAfterMs: 700 } } as const;
  expect(retries({})).toBeUndefined();
  expect(retries({ attempts: 3 })).toEqual({ requests: 1, attempts: 2, askedToWait: 0, longestWaitMs: null });
  expect(retries(refused)).toEqual({ requests: 0, attempts: 0, askedToWait: 1, longestWaitMs: 700 });
});

test('nothing per second is said of no time, and nothing of what is not known', () => {
  expect([perSec(5, 2000), perSec(0, 2000), perSec(5, 0), perSec(5, null), perSec(null, 2000)]).toEqual([
    2.5,
    0,
    null,
    null,
    null,
  ]);
});

test('of many comparisons the surest needs 5 % over their number, the next over one less; behind the first that fails none counts', () => {
  const significant = (...pValues: (number | null)[]) => {
    const change = (pValue: number | null) => ({ changeRatio: 1, interval: null, pValue, significant: false });
    const rows = pValues.map((pValue) => ({ changes: [change(pValue)], significant: false }) as never);
    holm(rows);
    return rows.map((row: ComparedMetricRow) => row.significant);
  };
  expect(significant(0.04, 0.025, 0.0166)).toEqual([true, true, true]);
  expect(significant(0.04, 0.026, 0.0166)).toEqual([false, false, true]);
  expect(significant(0.001, 0.017, 0.018)).toEqual([true, true, true]);
  expect(significant(0.017, 0.018, 0.019)).toEqual([false, false, false]);
  expect(significant(0.05, null)).toEqual([true, false]);
});

test('neighbours that are alike widen an error, those that swing do not', () => {
  // Steps of 1 against deviations of 1: a ramp of five has squares 10 and steps 4, so r is 0.8.
  expect(correlationFactor([1, 2, 3, 4, 5])).toBeCloseTo(3, 9);
  expect([correlationFactor([1, -1, 1, -1]), correlationFactor([2, 2, 2])]).toEqual([1, 1]);
  expect(deviation([2, 4, 4, 4, 5, 5, 7, 9])).toBeCloseTo(Math.sqrt(32 / 7), 12);
});

test('what a promise is held against', () => {
  const steady = { latencyMs: sampleDistribution({ p99: 1, min: 1, max: 1 }), requestsPerSec: 9 } as Summary['steady'];
  const run = samplePoint({
    latencyMs: sampleDistribution({ p99: 2, min: 3, max: 4 }),
    requestsPerSec: 5,
    steady,
    goodput: { slo: [], requestsPerSec: 7, ratio: 0.25 },
    counts: { ...samplePoint().counts, issued: 8, failed: 2 },
  });
  const value = (promise: string, point = run) => checkSlo(parseSlo(promise), point);
  expect(value('latency.p99<2ms')).toEqual({ met: true, value: 1 });
  expect([value('latency<9ms').value, value('latency>9ms').value, value('requestsPerSec>6').value]).toEqual([4, 3, 9]);
  expect([value('failed<0.25').value, value('failed<=0.25').met, value('failed<0.25').met]).toEqual([
    0.25,
    true,
    false,
  ]);
  expect([value('goodput>20%').value, value('goodput>6').value]).toEqual([0.25, 7]);
  expect(value('ttft.p99<1s', { ...run, ttftMs: null })).toEqual({ met: null, value: null });
  expect(metricOf({ ...run, counts: { ...run.counts, issued: 0 } }, 'failed', 'mean')).toBeNull();
  expect(
    ['latency.p99<1s', 'latency<1s', 'failed<1%', 'goodput>1', 'requestsPerSec>1'].map((text) =>
      judgesSteadyPart(parseSlo(text), run),
    ),
  ).toEqual([true, false, false, false, true]);
  expect(judgesSteadyPart(parseSlo('latency.p99<1s'), { steady: null })).toBe(false);
});

test('a trade of speed for throughput: straight between two loads, known nowhere else, in rows that people ask for', () => {
  const places = [
    { userTokensPerSec: 10, throughput: 900 },
    { userTokensPerSec: 30, throughput: 500 },
    { userTokensPerSec: 40, throughput: 100 },
  ];
  expect([5, 10, 20, 30, 35, 40, 41].map((speed) => throughputAt(places, speed))).toEqual([
    null,
    900,
    700,
    500,
    300,
    100,
    null,
  ]);
  expect(fixedSpeeds([places])).toEqual([10, 20, 30]);
  const narrow = (low: number, high: number) =>
    fixedSpeeds([
      [
        { userTokensPerSec: low, throughput: 2 },
        { userTokensPerSec: high, throughput: 1 },
      ],
    ]);
  expect([narrow(11, 19), narrow(1.1, 1.9), narrow(10, 19), narrow(7, 7)]).toEqual([
    [12, 14, 16, 18],
    [1.2, 1.4, 1.6, 1.8],
    [10, 15],
    [],
  ]);
  const speeds = { ...sampleDistribution({ p50: 20, n: 100 }), p10: 10, p1: 1 };
  const told = (speed: 'p50' | 'p10' | 'p1', n: number) =>
    frontierPoints([{ x: 1, runs: [samplePoint({ userTokensPerSec: { ...speeds, n } })] }], 'system', speed, () => ({
      pricePerHour: null,
      cards: null,
      powerW: null,
    })).map(({ userTokensPerSec }) => userTokensPerSec);
  expect([told('p50', 1), told('p10', 100), told('p10', 99), told('p1', 1000), told('p1', 999)]).toEqual([
    [20],
    [10],
    [],
    [1],
    [],
  ]);
});

test('load is told where what was in flight differs by more than a twentieth, and what the baseline had there by its points', () => {
  const run = (name: string, inFlight: number | null, rate: number | null): ComparedRun => ({
    id: name,
    name,
    summary: samplePoint({ concurrencyAchieved: inFlight, outputTokensPerSec: rate, latencyMs: null }),
    plan: null,
    slices: null,
  });
  const share = (a: ComparedRun, b: ComparedRun, curve: ComparedRun[] = []) =>
    loadShare(
      [a, b],
      null,
      curve.map(({ summary }) => summary),
    );
  expect([share(run('a', 100, 1), run('b', 104, 1)).row, share(run('a', null, 1), run('b', 9, 1)).row]).toEqual([
    null,
    null,
  ]);
  const base = run('a', 10, 1000);
  expect(share(base, run('b', 20, 1500)).row).toMatchObject({
    values: [100, 75],
    changeRatio: -0.25,
    comparable: true,
  });
  expect(share(base, run('b', 20, null))).toMatchObject({
    row: { values: [100, null], changeRatio: null },
    findings: [],
  });
  const points = [run('c', 15, 1200), run('d', 25, 1600), base];
  const evidence = (b: ComparedRun, curve = points) => share(base, b, curve).findings[0]!.finding.evidence;
  // Between 15 and 25 in flight the baseline had 1,200 to 1,600.
  expect(evidence(run('b', 20, 1540))['atInterpolatedLoad']).toBeCloseTo(0.1, 9);
  expect([
    evidence(run('b', 30, 1540))['atInterpolatedLoad'],
    evidence(run('b', 5, 900))['atInterpolatedLoad'],
  ]).toEqual([null, null]);
  const verdict = (inFlight: number, rate: number) =>
    share(base, run('b', inFlight, rate)).findings[0]!.finding.message;
  expect(verdict(20, 2000)).toContain('most of the difference is load');
  // Twice the load and four times the throughput: half of it, on the scale of ratios.
  expect(
    [verdict(20, 3990), verdict(20, 4100), verdict(20, 900), verdict(20, 1005)].map(
      (text) => /: ([^:]*)\.$/.exec(text)![1],
    ),
  ).toEqual([
    'most of the difference is load',
    'less than half of the difference is load',
    'the load differs the other way',
    'the load differs the other way',
  ]);
});
