import { expect, test } from 'vitest';
import { sampleDistribution, samplePoint } from '../../../test/sample-point.ts';
import type { Summary } from '../../core/index.ts';
import { inFlightOf } from './in-flight.ts';
import { auditPoints, auditSummary, auditSweep } from './index.ts';
import { relativeRoom, roomOf } from './printed-room.ts';
import { percent, show, showMs } from './wording.ts';

const base = samplePoint();
const found = (code: string, changes: Partial<Summary>) =>
  auditSummary(samplePoint(changes), {}).find((finding) => finding.code === code);
const imported = (code: string, changes: Partial<Summary>) =>
  auditPoints([samplePoint({ source: { tool: 'mindie', file: null }, ...changes })]).points[0]!.findings.find(
    (finding) => finding.code === code,
  );

test('numbers of a sentence have four digits, exponents only where nobody reads the number otherwise', () => {
  expect([0, 0.00009, 0.0001, 0.5, 12.3456, 999.96, 1000.4, 1e12 - 1, 1e12, -1234.5, NaN].map(show)).toEqual([
    '0',
    '9.00e-5',
    '0.0001',
    '0.5',
    '12.35',
    '1000',
    '1000',
    '999999999999',
    '1.00e+12',
    '-1234',
    'NaN',
  ]);
  expect([percent(0.5), showMs(999), showMs(1000), showMs(-2500)]).toEqual(['50 %', '999 ms', '1 s', '-2.5 s']);
});

test('printed digits leave half a unit of their last place open, in the unit of the summary; own figures nothing', () => {
  const point = samplePoint({ printed: { 'latencyMs.mean': '1.99', requestsPerSec: '0.0', model: 'x' } });
  expect(roomOf(point, 'latencyMs.mean', 1990)).toBeCloseTo(5, 9);
  expect(relativeRoom(point, 'latencyMs.mean', 1990)).toBeCloseTo(5 / 1990, 12);
  expect([
    roomOf(point, 'requestsPerSec', 0),
    roomOf(point, 'model', 3),
    roomOf(point, 'durationMs', 7),
    relativeRoom(point, 'latencyMs.mean', 0),
  ]).toEqual([0.05, 0.5, 0, 0]);
});

test('a percentile is weak below ten samples beyond it, and so many requests as are told mend it', () => {
  const of = (n: number, ranks: Partial<typeof base.latencyMs> = { p99: 1 }) =>
    found('too-few-samples', { latencyMs: sampleDistribution({ mean: 1, ...ranks, n }), ttftMs: null });
  expect(of(999)?.evidence).toEqual({ n: 999, percentiles: 'p99', needed: 1000 });
  expect(of(1000)).toBeUndefined();
  expect(of(50, { p50: 1, p90: 1, p95: 1 })?.evidence).toEqual({ n: 50, percentiles: 'p90, p95', needed: 200 });
  expect(of(20, { p50: 1 })).toBeUndefined();
});

test('requests in flight: by count and time, else by rate; what start and drain leave of the load is its lower edge', () => {
  expect(inFlightOf(base)).toMatchObject({ held: 9.95, asked: 10, share: 9.95 / 10, room: 0 });
  // Half of the slots are empty over the last ten requests: ten of two thousand, of two hundred.
  expect(inFlightOf(base)!.lowest).toBeCloseTo(
    inFlightOf(samplePoint({ counts: { ...base.counts, planned: 100 } }))!.lowest! + 10 / 200 - 10 / 2000,
    9,
  );
  expect(
    inFlightOf(samplePoint({ counts: { ...base.counts, planned: 4 } }))!.lowest! -
      inFlightOf(samplePoint({ counts: { ...base.counts, planned: 2 } }))!.lowest!,
  ).toBeCloseTo(0.1, 9);
  expect(inFlightOf(samplePoint({ durationMs: null, requestsPerSec: 4 }))!.held).toBeCloseTo(7.96, 9);
  expect(inFlightOf(samplePoint({ durationMs: 0, requestsPerSec: 4 }))!.held).toBeCloseTo(7.96, 9);
  expect(inFlightOf(samplePoint({ durationMs: null, requestsPerSec: null }))).toBeNull();
  expect(inFlightOf(samplePoint({ load: { ...base.load, concurrency: 0 } }))).toBeNull();
  const printed = { 'latencyMs.mean': '1.99', durationMs: '200' };
  expect(inFlightOf(samplePoint({ printed }))!.room).toBeCloseTo(5 / 1990 + 0.5 / 200, 9);
  // evalscope's clock stops up to a second late.
  expect(inFlightOf(samplePoint({ source: { tool: 'evalscope', file: null } }))!.room).toBeCloseTo(1 / 200, 9);
});

test('a long drain explains an average below the load up to the latency of the slowest request', () => {
  const drain = (durationMs: number, lost = 0) =>
    inFlightOf(
      samplePoint({
        durationMs,
        latencyMs: sampleDistribution({ mean: 2000, max: 50_000 }),
        counts: { ...base.counts, ok: 1000 - lost },
      }),
    )!.longDrain;
  // 1,000 of 2 s in ten slots, and 50 s.
  expect([drain(250_000), drain(250_001), drain(240_000, 9), drain(240_000, 10)]).toEqual([true, false, true, false]);
  const bySlow = (durationMs: number, figures: Partial<typeof base.latencyMs>) =>
    inFlightOf(samplePoint({ durationMs, latencyMs: sampleDistribution({ mean: 2000, ...figures }) }))!.longDrain;
  expect([
    bySlow(215_000, { p99: 10_000 }),
    bySlow(215_001, { p99: 10_000 }),
    bySlow(217_500, { p95: 10_000 }),
    bySlow(217_501, { p95: 10_000 }),
    bySlow(220_000, { p90: 10_000 }),
    bySlow(220_001, { p90: 10_000 }),
    bySlow(200_000, {}),
  ]).toEqual([true, false, true, false, true, false, false]);
  // Where the rate is all that is printed, it tells the time.
  const byRate = (requestsPerSec: number | null) =>
    inFlightOf(
      samplePoint({ durationMs: null, requestsPerSec, latencyMs: sampleDistribution({ mean: 2000, max: 50_000 }) }),
    )?.longDrain;
  expect([byRate(4), byRate(3.99), byRate(null)]).toEqual([true, false, undefined]);
});

test('the longest silence is the one told, all that was lost is summed up, and gaps between parts are too', () => {
  const silence = (fromMs: number, toMs: number, lost: number) => ({ fromMs, toMs, lost, waiting: 4, back: true });
  expect(
    found('server-silent', {
      silences: [silence(1000, 3000, 1), silence(9000, 14_000, 2), silence(20_000, 21_500, 0)],
    })!.evidence,
  ).toMatchObject({
    silences: 3,
    fromMs: 9000,
    longestMs: 5000,
    lost: 3,
  });
  const at = '2026-01-01T00:00:00.000Z';
  const part = (gapMs: number) => ({ gapMs, at }) as NonNullable<Summary['resumed']>[number];
  expect(found('resumed-run', { resumed: [part(1500), part(2500)] })).toMatchObject({
    evidence: { times: 2, gapSec: 4 },
  });
  expect(found('resumed-run', { resumed: [part(1500), part(2500)] })!.message).toContain('resumed 2 times; 4 s');
  expect(found('resumed-run', { resumed: [part(1000)] })!.message).toContain('resumed once; 1 s');
});

test('whole milliseconds of a server: the gap that the client saw is (latency − first token) over the tokens after it', () => {
  const printed = { 'ttftMs.max': '300', 'ttftMs.min': '100', 'itlMs.max': '60', 'itlMs.min': '20' };
  const told = (tokens: number | null, more: Partial<Summary> = {}) =>
    imported('integer-milliseconds', {
      printed,
      latencyMs: sampleDistribution({ mean: 1100 }),
      ttftMs: sampleDistribution({ mean: 100 }),
      itlMs: sampleDistribution({ mean: 9.5 }),
      outputTokens: tokens === null ? null : sampleDistribution({ mean: tokens }),
      ...more,
    });
  expect(told(101)!.evidence).toMatchObject({ printedGapMs: 9.5, clientGapMs: 10 });
  expect(told(101)!.message).toContain('(5 % more)');
  expect(told(2)!.evidence).toMatchObject({ clientGapMs: 1000 });
  expect(told(101, { itlMs: null })!.message).toBe('Times are whole milliseconds, floored by the server.');
  for (const one of [told(1), told(null), told(101, { ttftMs: null })])
    expect(one!.evidence).toMatchObject({ clientGapMs: null });
  expect(told(101, { printed: { ...printed, 'itlMs.min': '1' } })).toBeUndefined();
  expect(told(101, { printed: { ...printed, 'itlMs.min': '20.5' } })).toBeUndefined();
});

test('a sweep says its peak, the first load that gives 95 % of it, and a fall of more than 5 % behind it', () => {
  const sweep = (...points: [number, number][]) =>
    auditSweep(
      points.map(([concurrency, rate]) =>
        samplePoint({
          runId: String(concurrency),
          load: { ...base.load, concurrency },
          concurrencyAchieved: concurrency,
          outputTokensPerSec: rate,
          requestsPerSec: rate / 100,
        }),
      ),
    ).find(({ code }) => code === 'peak-and-knee');
  expect(sweep([1, 100], [2, 190], [4, 200], [8, 191])).toMatchObject({
    severity: 'info',
    evidence: { peakLoad: 4, peakRate: 200, kneeLoad: 2, lastLoad: 8 },
  });
  expect(sweep([1, 100], [2, 189], [4, 200], [8, 189])).toMatchObject({ severity: 'warn', evidence: { kneeLoad: 4 } });
  expect(sweep([1, 100], [2, 150], [4, 200])!.message).toMatch(/^Throughput still rises at the last point/);
  expect(sweep([1, 100], [2, 190], [4, 200])!.message).toMatch(
    /^Throughput peaks at 4 \(200\); 95 % of it is reached at 2\.$/,
  );
  expect(sweep([1, 100], [2, 150])).toBeUndefined();
});
