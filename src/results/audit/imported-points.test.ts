import { describe, expect, test } from 'vitest';
import type { Summary } from '../../core/index.ts';
import type { ComparedRun } from '../measure/index.ts';
import { auditComparison, auditPoints, auditSummary, auditSweep } from './index.ts';
import { sampleDistribution, samplePoint } from '../../../test/sample-point.ts';

const foreign = (changes: Partial<Summary> = {}): Summary =>
  samplePoint({ source: { tool: 'evalscope', file: 'a.md' }, ...changes });
const counts = (changes: Partial<Summary['counts']>): Partial<Summary> => ({
  counts: { ...samplePoint().counts, ...changes },
});
const codes = (point: Summary): string[] => auditSummary(point).map((finding) => finding.code);
const found = (code: string, point: Summary) => auditSummary(point).find((finding) => finding.code === code);

test('a sound imported point raises no doubt', () => {
  expect(codes(foreign())).toEqual([]);
});

describe('identities, to the printed digit', () => {
  test('a rate that is off by more than its rounding', () => {
    const printed = { requestsPerSec: '5.00', durationMs: '200.000' };
    expect(codes(foreign({ printed }))).toEqual([]);
    expect(codes(foreign({ printed: { ...printed, requestsPerSec: '5.01' }, requestsPerSec: 5.01 }))).toEqual([
      'rate-identity',
    ]);
  });
  test('few digits leave room: 0.032 requests a second in 3091.468 s are 99 or 100 requests', () => {
    const point = foreign({
      ...counts({ planned: 100, ok: 100 }),
      requestsPerSec: 0.032,
      durationMs: 3091468,
      outputTokensPerSec: 158.986,
      outputTokens: sampleDistribution({ mean: 4915 }),
      latencyMs: sampleDistribution({ mean: 238540 }),
      printed: {
        requestsPerSec: '0.032',
        durationMs: '3091.468',
        outputTokensPerSec: '158.986',
        'outputTokens.mean': '4915.000',
      },
      load: { kind: 'closed', concurrency: 8, ratePerSec: null, stream: null },
    });
    expect(codes(point)).toEqual([]);
  });
  test('tokens that do not multiply out, without a failure to blame', () => {
    expect(found('throughput-identity', foreign({ outputTokensPerSec: 520 }))).toMatchObject({
      severity: 'invalid',
      evidence: { said: 520, computed: 500 },
    });
  });
  test("with failures, half a percent is nobody's fault", () => {
    expect(codes(foreign({ ...counts({ ok: 1000, failed: 3, planned: 1003 }), outputTokensPerSec: 502 }))).toEqual([
      'failures',
    ]);
  });
});

describe('one request and the wall clock', () => {
  const stuck = (changes: Partial<Summary> = {}): Summary =>
    foreign({
      ...counts({ planned: 1001, ok: 1000, failed: 1 }),
      durationMs: 320_000,
      requestsPerSec: 3.125,
      ...changes,
    });
  test('stuck-request: the token clock tells the true duration', () => {
    const [audit] = auditPoints([stuck()]).points;
    expect(audit!.status).toBe('repairable');
    expect(audit!.repaired).toEqual({ requestsPerSec: 5, outputTokensPerSec: 500, durationMs: 200_000 });
  });
  test('beside vanished requests nothing can be repaired', () => {
    const [audit] = auditPoints([
      stuck({ counts: { ...samplePoint().counts, planned: 1040, ok: 1000, failed: 1, unaccounted: 39 } }),
    ]).points;
    expect(audit).toMatchObject({ status: 'unusable', repaired: null });
  });
  test('runaway-generation: seen only beside its neighbours', () => {
    const runaway = foreign({
      durationMs: 500_000,
      requestsPerSec: 2,
      outputTokens: sampleDistribution({ mean: 104 }),
      outputTokensPerSec: 208,
    });
    const others = [5, 20, 40].map((concurrency) =>
      foreign({
        load: { kind: 'closed', concurrency, ratePerSec: null, stream: true },
        durationMs: 1_990_000 / concurrency,
        requestsPerSec: (1000 / 1990) * concurrency,
        outputTokensPerSec: (100_000 / 1990) * concurrency,
      }),
    );
    const invalid = (points: Summary[]): string[] =>
      auditPoints(points)
        .points.at(-1)!
        .findings.filter((finding) => finding.severity === 'invalid')
        .map((finding) => finding.code);
    expect(invalid([runaway])).toEqual(['in-flight-low']);
    expect(invalid([...others, runaway])).toEqual(['in-flight-low', 'runaway-generation']);
  });
});

describe("Little's law", () => {
  const held = (share: number): Summary => foreign({ latencyMs: sampleDistribution({ mean: 2000 * share }) });
  test('start and drain of 1,000 requests at 10 cost half a percent, five more are forgiven', () => {
    expect([codes(held(0.945)), codes(held(0.93))]).toEqual([[], ['in-flight-low']]);
  });
  test('more in flight than there are slots cannot be', () => {
    expect([codes(held(1.02)), codes(held(1.2))]).toEqual([[], ['in-flight-impossible']]);
  });
  test('fewer requests than slots cannot fill them: that is not held against the client', () => {
    const few = foreign({
      ...counts({ planned: 5, ok: 5 }),
      durationMs: 2500,
      requestsPerSec: 2,
      outputTokensPerSec: 200,
    });
    expect(codes(few)).not.toContain('in-flight-low');
  });
  test('a client that only needs a moment to send the next one is warned about', () => {
    const quick = foreign({
      source: { tool: 'sglang', file: null },
      durationMs: 8000,
      requestsPerSec: 125,
      outputTokensPerSec: 12_500,
      latencyMs: sampleDistribution({ mean: 65 }),
      ttftMs: null,
    });
    expect(found('in-flight-low', quick)!.severity).toBe('warn');
  });
});

describe('censored percentiles', () => {
  const cut = (p99: number, failed: number): Summary =>
    foreign({
      ...counts({ ok: 1000 - failed, failed }),
      requestsPerSec: (1000 - failed) / 200,
      outputTokensPerSec: (1000 - failed) / 2,
      latencyMs: sampleDistribution({ mean: 1990, p99 }),
    });
  test('p99 just under a usual timeout with requests missing', () => {
    expect(found('censored-percentiles', cut(29_600, 5))).toMatchObject({
      severity: 'invalid',
      evidence: { timeoutSec: 30, cut: 5 },
    });
    expect(found('censored-percentiles', cut(28_000, 5))).toBeUndefined();
  });
  test('from 1 % lost on the true p99 lies beyond the timeout, so the gap may be wider', () => {
    expect(found('censored-percentiles', cut(28_000, 15))?.evidence).toMatchObject({ timeoutSec: 30 });
    expect(found('censored-percentiles', cut(26_000, 15))).toBeUndefined();
  });
  test('nothing lost, nothing cut', () => {
    expect(codes(cut(29_900, 0))).toEqual([]);
  });
});

describe('figures that cannot be', () => {
  test('percentiles that fall, a mean too small for its p99, a request longer than the run', () => {
    expect(codes(foreign({ latencyMs: sampleDistribution({ mean: 1990, p50: 2000, p90: 1900 }) }))).toEqual([
      'percentiles-impossible',
    ]);
    expect(codes(foreign({ ttftMs: sampleDistribution({ mean: 10, p99: 1200 }) }))).toEqual(['percentiles-impossible']);
    expect(codes(foreign({ latencyMs: sampleDistribution({ mean: 1990, p99: 201_999 }) }))).toEqual([]);
    expect(codes(foreign({ latencyMs: sampleDistribution({ mean: 2040, p99: 203_000 }) }))).toContain(
      'percentiles-impossible',
    );
  });
  test('counts whose sum is not the total', () => {
    expect(codes(foreign({ printed: { 'counts.ended': '1001' } }))).toEqual(['counts-disagree']);
    expect(codes(foreign({ printed: { 'counts.ended': '1000', 'counts.planned': '999' } }))).toEqual([
      'counts-disagree',
    ]);
  });
  test('a second mention of the log that differs is invalid, one of a table is a warning', () => {
    const printed = { requestsPerSec: '5.000', durationMs: '200.000' };
    const mention = (where: 'block' | 'table', digits: string): Summary =>
      foreign({ printed, alsoPrinted: [{ key: 'requestsPerSec', digits, line: 3, where }] });
    expect(codes(mention('block', '5.000'))).toEqual([]);
    expect(found('figures-disagree', mention('block', '5.100'))?.severity).toBe('invalid');
    expect(found('table-disagrees', mention('table', '5.1'))).toMatchObject({
      severity: 'warn',
      evidence: { table: '5.1', log: '5.000', line: 3 },
    });
    expect(codes(mention('table', '5.0'))).toEqual([]);
  });
});

describe('a sweep as a whole', () => {
  const at = (concurrency: number, rate: number, changes: Partial<Summary> = {}): Summary =>
    foreign({
      load: { kind: 'closed', concurrency, ratePerSec: null, stream: null },
      outputTokensPerSec: rate,
      inputTokens: null,
      ...changes,
    });
  const told = (points: Summary[]): Record<string, unknown> =>
    Object.fromEntries(auditSweep(points).map((finding) => [finding.code, finding.evidence]));
  test('knee, peak and overload', () => {
    expect(told([at(8, 100), at(16, 190), at(32, 200), at(64, 180)])['peak-and-knee']).toMatchObject({
      peakLoad: 32,
      kneeLoad: 16,
      fallenRatio: expect.closeTo(0.1, 9),
    });
  });
  test('a dip between higher neighbours', () => {
    expect(told([at(8, 100), at(16, 90), at(32, 200)])['non-monotonic']).toMatchObject({
      load: 16,
      dipRatio: expect.closeTo(0.1, 9),
    });
    expect(told([at(8, 100), at(16, 98), at(32, 200)])).not.toHaveProperty('non-monotonic');
  });
  test('latency that falls while requests are lost', () => {
    const lost = (concurrency: number, mean: number, failed: number): Summary =>
      at(concurrency, 100, { ...counts({ ok: 1000 - failed, failed }), latencyMs: sampleDistribution({ mean }) });
    expect(told([lost(64, 16_913, 15), lost(128, 19_831, 115), lost(400, 16_285, 230)])['survivor-bias']).toMatchObject(
      { fromLoad: 128, toLoad: 400 },
    );
    expect(told([lost(64, 1000, 0), lost(128, 2000, 0), lost(400, 1900, 0)])).not.toHaveProperty('survivor-bias');
  });
  test('points that were not loaded differently have no curve', () => {
    expect(told([at(16, 100), at(16, 50), at(16, 100)])).toEqual({});
  });
});

describe('two points beside each other', () => {
  const of = (name: string, summary: Summary): ComparedRun => ({ id: name, name, summary, plan: null, slices: null });
  const compared = (changes: Partial<Summary>): string[] =>
    auditComparison(
      of('a', foreign({ cachedInputRatio: 0.5, inputTokensPerSec: 100, inputCharsPerSec: 400 })),
      of('b', foreign(changes)),
    )
      .map(({ finding }) => finding.code)
      .filter((code) => code !== 'no-interval');
  test('another limit for what may be apart, and one that lets every share pass', () => {
    const hits = (limit: string): boolean =>
      auditComparison(of('a', foreign({ cachedInputRatio: 0 })), of('b', foreign({ cachedInputRatio: 0.5 })), [
        limit,
      ]).some(({ finding }) => finding.code === 'cache-differs');
    expect(['cache-apart=49%', 'cache-apart=51%', 'cache-apart=100%'].map(hits)).toEqual([true, false, false]);
  });
  test.each<[string, Partial<Summary>, string[]]>([
    ['nothing differs', {}, ['within-noise']],
    [
      'another concurrency',
      { load: { kind: 'closed', concurrency: 20, ratePerSec: null, stream: true }, outputTokensPerSec: 900 },
      ['settings-differ'],
    ],
    ['more failures', { ...counts({ ok: 950, failed: 50 }), outputTokensPerSec: 600 }, ['failures-differ']],
    [
      'longer answers',
      { outputTokens: sampleDistribution({ mean: 110 }), outputTokensPerSec: 550 },
      ['lengths-differ'],
    ],
    [
      'a side that is not valid',
      { outputTokensPerSec: 600, verdict: { valid: false, findings: [] } },
      ['invalid-side'],
    ],
    ['a real difference', { outputTokensPerSec: 600 }, []],
    ['prompts 14 % heavier', { inputTokensPerSec: 100, inputCharsPerSec: 456, outputTokensPerSec: 600 }, []],
    [
      'prompts 16 % heavier',
      { inputTokensPerSec: 100, inputCharsPerSec: 464, outputTokensPerSec: 600 },
      ['weights-differ'],
    ],
    ['hits of a cache, 9 points apart', { cachedInputRatio: 0.59, outputTokensPerSec: 600 }, []],
    ['hits of a cache, 11 points apart', { cachedInputRatio: 0.61, outputTokensPerSec: 600 }, ['cache-differs']],
    [
      'hits that only the metrics tell',
      { server: { prefixHitRatio: 0.95 }, outputTokensPerSec: 600 },
      ['cache-differs'],
    ],
  ])('%s', (_, changes, expected) => {
    expect(compared(changes)).toEqual(expected);
  });
});
