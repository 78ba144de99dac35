import { expect, test } from 'vitest';
import { sampleDistribution, samplePoint } from '../../../test/sample-point.ts';
import type { RunPlan, Summary } from '../../core/index.ts';
import type { ComparedRun } from '../measure/index.ts';
import { comparisonRules, neighbourRules, sideRules, sweepRules } from './registry.ts';

const base = samplePoint();
const counts = (changes: Partial<Summary['counts']>) => ({ counts: { ...base.counts, ...changes } });
const mean = (name: 'inputTokens' | 'outputTokens', value: number | null) => ({
  [name]: value === null ? null : sampleDistribution({ mean: value }),
});
const run = (changes: Partial<Summary>, more: Partial<ComparedRun> = {}): ComparedRun => ({
  id: 'a',
  name: 'a',
  summary: samplePoint(changes),
  plan: null,
  slices: null,
  ...more,
});
const sliced = { slices: {} as ComparedRun['slices'] };

interface Pair {
  /** The baseline. */
  of: ComparedRun;
  /** What is just beyond the limit beside it. */
  says: ComparedRun[];
  /** What is exactly at the limit, or has a figure that is not known. */
  silent: ComparedRun[];
}

const pairs: Record<string, Pair> = {
  'settings-differ': {
    of: run({ load: { ...base.load, stream: true } }),
    says: [
      run({ load: { ...base.load, concurrency: 11 } }),
      run({ load: { ...base.load, stream: false } }),
      run({ model: 'another' }),
      run({ simulated: true }),
      run({ engine: { server: 'e', simulated: true } }),
    ],
    silent: [
      run({}),
      run({ load: { kind: null, concurrency: null, ratePerSec: null, stream: null }, model: null }),
      run({ source: { tool: 'vllm', file: null } }),
      run({ engine: { server: 'e', simulated: false } }),
    ],
  },
  'cache-differs': {
    of: run({ cachedInputRatio: 0 }),
    says: [run({ cachedInputRatio: 0.101 })],
    silent: [run({ cachedInputRatio: 0.1 }), run({})],
  },
  'failures-differ': {
    of: run(counts({ ok: 750 })),
    says: [run(counts({ ok: 739 })), run(counts({ ok: 761 })), run(counts({ planned: 1, ok: 1 }))],
    silent: [
      run(counts({ ok: 741 })),
      run(counts({ ok: 759 })),
      run(counts({ planned: 0, ok: 0 })),
      run(counts({ planned: null as never })),
      run(counts({ ok: null as never })),
    ],
  },
  'lengths-differ': {
    of: run({ ...mean('inputTokens', 64), ...mean('outputTokens', 1) }),
    says: [
      run({ ...mean('inputTokens', 64), ...mean('outputTokens', 1.06) }),
      run({ ...mean('inputTokens', 64), ...mean('outputTokens', 0.94) }),
      run({ ...mean('inputTokens', 68), ...mean('outputTokens', 1) }),
    ],
    silent: [
      run({ ...mean('inputTokens', 61), ...mean('outputTokens', 1) }),
      run({ ...mean('inputTokens', 67), ...mean('outputTokens', null) }),
      run({ ...mean('inputTokens', null), ...mean('outputTokens', 1) }),
    ],
  },
  'weights-differ': {
    of: run({ inputTokensPerSec: 1, inputCharsPerSec: 0.8 }),
    says: [
      run({ inputTokensPerSec: 1, inputCharsPerSec: 0.93 }),
      run({ inputTokensPerSec: 1, inputCharsPerSec: 0.67 }),
      run({ inputTokensPerSec: 2, inputCharsPerSec: 0.8 }),
    ],
    silent: [
      run({ inputTokensPerSec: 1, inputCharsPerSec: 0.91 }),
      run({ inputTokensPerSec: 0, inputCharsPerSec: 9 }),
      run({ inputTokensPerSec: 1, inputCharsPerSec: 0 }),
      run({ inputTokensPerSec: null, inputCharsPerSec: 9 }),
      run({ inputTokensPerSec: 1, inputCharsPerSec: null }),
    ],
  },
  // Here a rule speaks of what is close.
  'within-noise': {
    of: run({ outputTokensPerSec: 1 }),
    says: [
      run({ outputTokensPerSec: 1.0169 }),
      run({ outputTokensPerSec: 0.9831 }),
      run({ outputTokensPerSec: null, requestsPerSec: 1 }),
      run({ outputTokensPerSec: 1 }, sliced),
    ],
    silent: [
      run({ outputTokensPerSec: 1.0171 }),
      run({ outputTokensPerSec: 0.9829 }),
      run({ outputTokensPerSec: null, requestsPerSec: null }),
    ],
  },
};

test('a rule of two runs speaks beyond its limit, and says nothing at it or of what is not known', () => {
  expect(Object.keys(pairs)).toEqual(comparisonRules.map(({ code }) => code));
  const wrong = comparisonRules.flatMap((rule) => {
    const { of, says, silent } = pairs[rule.code]!;
    const speaks = (other: ComparedRun) => rule.check(of, other, {}) !== null;
    return [...says.filter((other) => !speaks(other)), ...silent.filter(speaks)].map((other) => [rule.code, other]);
  });
  expect(wrong).toEqual([]);
});

test('a baseline of zero or of nothing known is compared with nothing', () => {
  const empty = run({
    ...mean('inputTokens', 0),
    ...mean('outputTokens', 0),
    outputTokensPerSec: 0,
    inputTokensPerSec: 0,
    ...counts({ planned: 0, ok: 0 }),
  });
  const unknown = run({
    ...mean('inputTokens', null),
    ...mean('outputTokens', null),
    outputTokensPerSec: null,
    requestsPerSec: null,
    ...counts({ planned: null as never }),
  });
  const told = (of: ComparedRun) =>
    comparisonRules
      .filter((rule) => rule.check(of, run({ cachedInputRatio: 0.5 }), {}) !== null)
      .map(({ code }) => code);
  expect([told(empty), told(unknown)]).toEqual([[], []]);
  // Where both have their requests, these say how sure a difference is.
  const near = comparisonRules.find(({ code }) => code === 'within-noise')!;
  expect(near.check(run({}, sliced), run({}, sliced), {})).toBeNull();
  expect(near.check(run({}, sliced), run({}), {})).not.toBeNull();
});

test('what two runs are told to differ in, and by how much', () => {
  const told = (code: string, of: ComparedRun, other: ComparedRun) =>
    comparisonRules.find((rule) => rule.code === code)!.check(of, other, {});
  expect(told('within-noise', run({ outputTokensPerSec: 100 }), run({ outputTokensPerSec: 101 }))!.evidence).toEqual({
    baseline: 100,
    candidate: 101,
    changeRatio: expect.closeTo(0.01, 12),
  });
  expect(told('failures-differ', run(counts({ ok: 750 })), run(counts({ ok: 500 })))!.evidence).toEqual({
    baseline: 0.25,
    candidate: 0.5,
  });
  expect(
    told(
      'weights-differ',
      run({ inputTokensPerSec: 2, inputCharsPerSec: 8 }),
      run({ inputTokensPerSec: 2, inputCharsPerSec: 4 }),
    )!.evidence,
  ).toEqual({ baseline: 4, candidate: 2 });
  // Another load makes a comparison void; another model is a question.
  expect(told('settings-differ', run({}), run({ load: { ...base.load, concurrency: 20 } }))).toMatchObject({
    severity: 'invalid',
    evidence: { differing: 'load', baseline: 'closed 10 -', candidate: 'closed 20 -' },
  });
  expect(told('settings-differ', run({}), run({ model: 'n', simulated: true }))).toMatchObject({
    severity: 'warn',
    evidence: { differing: 'model, reality', baseline: 'm, measured', candidate: 'n, simulated' },
  });
});

test('of one side it is said whether it is valid, a simulation, and without an interval', () => {
  const codes = (side: ComparedRun) => sideRules.filter((rule) => rule.check(side) !== null).map(({ code }) => code);
  const plan = {} as RunPlan;
  expect(codes(run({}, sliced))).toEqual([]);
  expect(codes(run({}))).toEqual(['no-interval']);
  expect(codes(run({ simulated: true }, sliced))).toEqual(['simulated']);
  expect(codes(run({ engine: { server: 'e', simulated: true } }, sliced))).toEqual(['simulated']);
  expect(codes(run({ engine: { server: 'e', simulated: false } }, sliced))).toEqual([]);
  expect(codes(run({ verdict: { valid: false, findings: [] } }, sliced))).toEqual(['invalid-side']);
  const noInterval = sideRules.find(({ code }) => code === 'no-interval')!;
  expect([noInterval.check(run({})), noInterval.check(run({}, { plan }))]).toMatchObject([
    { evidence: { imported: true } },
    { evidence: { imported: false } },
  ]);
});

const at = (concurrency: number | null, changes: Partial<Summary> = {}): Summary =>
  samplePoint({
    runId: String(concurrency),
    source: { tool: 'vllm', file: null },
    load: { kind: 'closed', concurrency, ratePerSec: null, stream: null },
    ...changes,
  });
const swept = (code: string, points: Summary[]) => sweepRules.find((rule) => rule.code === code)!.check(points);

test('a dip is told beyond 3 %, on points of rising load that count', () => {
  const rates = (...list: number[]) => list.map((rate, i) => at(i + 1, { outputTokensPerSec: rate }));
  const dips = (points: Summary[]) => swept('non-monotonic', points).map(({ evidence }) => evidence['load']);
  expect([dips(rates(100, 96, 200)), dips(rates(100, 98, 200)), dips(rates(200, 96, 100))]).toEqual([[2], [], [2]]);
  expect(dips(rates(100, 96, 200, 150, 300))).toEqual([2, 4]);
  // Neither the first nor the last has two sides; the order of measuring does not matter.
  expect([dips(rates(50, 200)), dips(rates(200, 100))]).toEqual([[], []]);
  expect(dips(rates(100, 96, 200).toReversed())).toEqual([2]);
  const [first, , last] = rates(100, 96, 200) as [Summary, Summary, Summary];
  const invalid = at(2, { outputTokensPerSec: 96, verdict: { valid: false, findings: [] } });
  expect(dips([first, invalid, last])).toEqual([]);
  expect(dips([first, at(2, { outputTokensPerSec: null, requestsPerSec: null }), last])).toEqual([]);
  expect(dips([first, at(null, { outputTokensPerSec: 96 }), last])).toEqual([]);
  expect(dips([first, at(1, { outputTokensPerSec: 96 }), last])).toEqual([]);
  const byRate = (ratePerSec: number, requestsPerSec: number) =>
    at(null, {
      load: { kind: 'open', concurrency: null, ratePerSec, stream: null },
      outputTokensPerSec: null,
      requestsPerSec,
    });
  expect(dips([byRate(1, 100), byRate(2, 50), byRate(3, 200)])).toEqual([2]);
});

test('a sweep that ends below its higher loads says that those did not count', () => {
  const rising = [1, 2, 4].map((load) => at(load, { outputTokensPerSec: 100 * load }));
  const advice = (points: Summary[]) => swept('peak-and-knee', points)[0]!.advice.en;
  expect(swept('peak-and-knee', rising.toReversed())[0]!.evidence).toMatchObject({ peakLoad: 4, lastLoad: 4 });
  const flat = [1, 2, 4].map((load) => at(load, { outputTokensPerSec: 100 }));
  expect(swept('peak-and-knee', flat)[0]!.evidence).toMatchObject({ peakLoad: 1, kneeLoad: 1, lastLoad: 4 });
  expect(advice(rising)).toBe('Add points at higher load.');
  expect(advice([...rising, at(8, { verdict: { valid: false, findings: [] } })])).toMatch(/^Measure the higher loads/);
  expect(advice([...rising, at(3, { verdict: { valid: false, findings: [] } })])).toBe('Add points at higher load.');
});

test('latencies that fall beside losses: by more than 2 %, from 1 % lost on, behind the slowest load', () => {
  const row = (
    concurrency: number | null,
    meanMs: number | null,
    failed: number | null,
    more: Partial<Summary['counts']> = {},
  ) =>
    at(concurrency, {
      ...counts({ failed: failed as number, ...more }),
      latencyMs: sampleDistribution({ mean: meanMs }),
    });
  const told = (...last: Summary[]) =>
    swept('survivor-bias', [row(10, 900, 0), row(20, 1000, 0), ...last]).map(({ evidence }) => [
      evidence['toLoad'],
      evidence['lostRatio'],
    ]);
  expect(told(row(30, 979, 10))).toEqual([[30, 0.01]]);
  expect(told(row(30, 980, 10))).toEqual([]);
  expect(told(row(30, 900, 9))).toEqual([]);
  expect(told(row(30, 900, 9, { unaccounted: null as never }))).toEqual([]);
  expect(told(row(30, 900, 5, { unaccounted: 5 }))).toEqual([[30, 0.01]]);
  expect(told(row(30, 900, 1, { planned: 0 }))).toEqual([[30, 0.01]]);
  expect(told(row(30, 900, 0, { planned: 0 }))).toEqual([]);
  expect(
    told(row(15, 900, 500), row(20, 900, 500), row(null, 900, 500), row(30, null, 500), row(40, 900, null)),
  ).toEqual([]);
  expect(told(row(40, 800, 20), row(30, 900, 10))).toEqual([[40, 0.02]]);
});

test('the same prompts: three points or more of another tool with one mean to the last digit', () => {
  const told = (...list: (Summary | number)[]) =>
    swept(
      'same-prompts',
      list.map((one, i) => (typeof one === 'number' ? at(i + 1, mean('inputTokens', one)) : one)),
    ).map(({ evidence }) => evidence['points']);
  const single = at(9, { ...mean('inputTokens', 41), ...counts({ ok: 1 }) });
  expect([told(40, 40, 40), told(40, 40), told(40, 40, 40.1), told(40, 40, single)]).toEqual([[3], [], [], []]);
  expect(told(40, 40, 40, single, at(8, { inputTokens: null }))).toEqual([3]);
  expect(told(40, 40, at(9, { ...mean('inputTokens', 40), ...counts({ ok: 2 }) }))).toEqual([3]);
  expect(told(40, 40, 40, at(9, { ...mean('inputTokens', 40), source: { tool: 'llmdyno', file: null } }))).toEqual([]);
});

test('a process counts as started anew from two seconds on, a list of models as long as three is told whole', () => {
  const of = (startedAtSec: number, models?: string[]) =>
    at(1, { server: { startedAtSec }, ...(models && { models }) });
  const told = (...points: Summary[]) => swept('server-changed', points);
  expect([told(of(100), of(102)).length, told(of(100), of(103)).length]).toEqual([0, 1]);
  expect(told(of(100), of(103))[0]!.message.en).toContain('started 3 s after');
  expect(told(of(103), of(100))).toEqual([]);
  // A later point of the first process, or an earlier one of the second: both answer by turns.
  expect(told(of(100), of(200), of(98))).toEqual([]);
  const named = (server: string) => at(1, { engine: { server, simulated: false } });
  expect([told(named('a'), at(1)), told(at(1), named('a')), told(named('a'), named('a'))]).toEqual([[], [], []]);
  const came = (count: number) => told(of(1, []), of(1, ['a', 'b', 'c', 'd'].slice(0, count)))[0]!;
  expect(came(3).evidence['modelsNew']).toBe('a, b, c');
  expect(came(4).evidence['modelsNew']).toBe('a, b, c + 1');
});

test('one answer that ran on: four times the p99 of its tokens, and the clock twice the p99 of latency after the last send', () => {
  const [rule] = neighbourRules;
  const lone = (max: number, toMs: number, more: Partial<Summary> = {}) =>
    at(10, {
      durationMs: 200_000,
      steady: { fromMs: 0, toMs } as Summary['steady'],
      latencyMs: sampleDistribution({ mean: 1990, p99: 5000 }),
      outputTokens: sampleDistribution({ mean: 100, p99: 100, max }),
      ...more,
    });
  const told = (point: Summary) => rule.check([point], 0)?.evidence ?? null;
  expect(told(lone(400, 190_000))).toEqual({ longestTokens: 400, p99Tokens: 100, tailMs: 10_000, durationMs: 200_000 });
  const silent = [
    lone(399, 190_000),
    lone(400, 190_001),
    lone(400, 190_000, { durationMs: null }),
    lone(400, 190_000, { steady: null }),
    lone(400, 190_000, { latencyMs: sampleDistribution({ mean: 1990 }) }),
    lone(400, 190_000, { outputTokens: sampleDistribution({ mean: 100, max: 400 }) }),
    lone(400, 190_000, { outputTokens: sampleDistribution({ mean: 100, p99: 100 }) }),
    lone(400, 190_000, { load: { kind: 'open', concurrency: null, ratePerSec: 5, stream: true } }),
  ];
  expect(silent.map(told)).toEqual(silent.map(() => null));
});

test('beside at least three other points: 1.5 % more tokens an answer, worth five answers, while slots were empty', () => {
  const [rule] = neighbourRules;
  const tokens = (value: number, more: Partial<Summary> = {}) =>
    at(10, { ...mean('outputTokens', value), latencyMs: sampleDistribution({ mean: 1000 }), ...more });
  const told = (point: Summary, ...others: number[]) =>
    rule.check([point, ...others.map((value) => tokens(value))], 0)?.evidence ?? null;
  const few = (ok: number) => counts({ planned: ok, ok });
  expect(told(tokens(203), 200, 200, 200)).toMatchObject({ usualOutputTokens: 200, extraTokens: 3000, inFlight: 5 });
  expect(told(tokens(205, { ...few(200), durationMs: 40_000 }), 200, 200, 200)).toMatchObject({ extraTokens: 1000 });
  expect(told(tokens(205, { ...few(199), durationMs: 40_000 }), 200, 200, 200)).toBeNull();
  expect(told(tokens(202.9), 200, 200, 200)).toBeNull();
  expect(told(tokens(203), 200, 200)).toBeNull();
  // The middle one of the others, the lower of two.
  expect(told(tokens(250), 300, 200, 100)).toMatchObject({ usualOutputTokens: 200 });
  expect(told(tokens(250), 400, 100, 300, 200)).toMatchObject({ usualOutputTokens: 200 });
  expect(told(tokens(203, { latencyMs: sampleDistribution({ mean: 1990 }) }), 200, 200, 200)).toBeNull();
  expect(told(tokens(203, { load: { ...base.load, concurrency: null } }), 200, 200, 200)).toBeNull();
  expect(told(tokens(203, counts({ ok: null as never })), 200, 200, 200)).toBeNull();
  expect(told(at(10, { outputTokens: null }), 200, 200, 200)).toBeNull();
});
