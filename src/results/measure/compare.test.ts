import { describe, expect, test } from 'vitest';
import { exchange } from '../../../test/fixtures/measure/exchanges.ts';
import { sampleDistribution, samplePoint } from '../../../test/sample-point.ts';
import { randomStream } from '../../core/index.ts';
import type { Summary } from '../../core/index.ts';
import { comparePoint } from './compare.ts';
import type { ComparedRun } from './compare.ts';
import { compareSweeps } from './compare-sweeps.ts';
import { parseGate } from './gate.ts';
import { inFlightOf, loadShare, perInFlight } from './load-explains.ts';
import { makeMeter } from './meter.ts';
import { pairPoints } from './pair-points.ts';
import { slicesOf } from './slices.ts';
import { summarise } from './summarise.ts';
import { makeTrace } from './trace.ts';

const base = samplePoint();
const run = (id: string, changes: Partial<Summary> = {}): ComparedRun => ({
  id,
  name: id,
  summary: samplePoint(changes),
  plan: null,
  slices: null,
});
const atLoad = (concurrency: number, changes: Partial<Summary> = {}): Partial<Summary> => ({
  load: { ...base.load, concurrency },
  ...changes,
});
const failing = (id: string, failed: number, issued: number): ComparedRun =>
  run(id, { counts: { ...base.counts, planned: issued, issued, ok: issued - failed, failed } });
const gate = (runs: ComparedRun[], text: string) => comparePoint(runs, 1, [parseGate(text)], () => []).gates;

/** A run of single requests, one after the other, of about so many ms. */
function played(id: string, ms: number): ComparedRun {
  const load = { kind: 'closed', concurrency: 1 } as const;
  const [meter, trace, stream] = [makeMeter({ load, stream: true }), makeTrace(load), randomStream(1, id)];
  let at = 0;
  for (let seq = 0; seq < 300; seq++) {
    const took = ms * (0.9 + 0.2 * stream.next());
    const one = exchange({
      seq,
      dueMs: at,
      sentMs: at,
      chunks: { atMs: [at + took], tokens: [1], kinds: 'a' },
      endMs: at + took,
    });
    meter.add(one);
    trace.add(one);
    at += took;
  }
  const summary = summarise(meter, {
    runId: id,
    simulated: true,
    load: { ...load, ratePerSec: null, stream: true },
    planned: 300,
  });
  return { id, name: id, plan: null, summary, slices: slicesOf(trace), trace };
}

describe('shares of failed requests', () => {
  // Newcombe, Statistics in Medicine 17 (1998) 873, example (a), method 10: 56/70 less 48/80 is 0.2, from 0.0524 to 0.3339.
  const two = [failing('a', 48, 80), failing('b', 56, 70)];
  test.each([
    ['failed>+5.2%', 'failed'],
    ['failed>+5.3%', 'unsure'],
    ['failed>+33.3%', 'unsure'],
    ['failed>+33.4%', 'passed'],
  ])('%s of a published pair is %s: the interval ends where the paper says', (text, state) => {
    expect(gate(two, text)).toEqual([
      expect.objectContaining({
        state,
        failed: state === 'failed',
        run: 'b',
        load: 1,
        decidedBy: 'interval',
        measured: expect.closeTo(0.2, 9) as number,
      }),
    ]);
  });
  test('are unknown where nothing was issued', () => {
    expect(gate([failing('a', 0, 0), failing('b', 1, 10)], 'failed>+1%')[0]).toMatchObject({
      state: 'unknown',
      measured: null,
      decidedBy: null,
    });
    expect(gate([failing('a', 1, 10), failing('b', 0, 0)], 'failed>+1%')[0]).toMatchObject({ state: 'unknown' });
  });
  test('who is unsure is told how many requests would do: so many times more as the half width squared asks', () => {
    const half = (0.3339 - 0.0524) / 2;
    const needs = gate(two, 'failed>+10%')[0]!.needs!;
    expect(needs / (70 * (half / 0.1) ** 2)).toBeCloseTo(1, 2);
    expect(gate(two, 'failed>+20%')[0]!.needs).toBeNull();
  });
});

describe('changes without requests at hand', () => {
  test('are candidate over baseline less one, without an interval and never significant; from nothing there is no change', () => {
    const { rows } = comparePoint(
      [run('a'), run('b', { requestsPerSec: 6, outputTokensPerSec: null })],
      1,
      [],
      () => [],
    );
    const row = (metric: string) => rows.find((one) => one.metric === metric)!;
    expect(row('requestsPerSec')).toMatchObject({
      values: [5, 6],
      basis: 'whole',
      comparable: true,
      interval: null,
      significant: false,
    });
    expect(row('requestsPerSec').changeRatio).toBeCloseTo(0.2, 12);
    expect(row('outputTokensPerSec')).toMatchObject({ values: [500, null], changeRatio: null });
    // Known of neither.
    expect(row('tpot.mean')).toBeUndefined();
    const zero = comparePoint([run('a', { requestsPerSec: 0 }), run('b')], 1, [], () => []).rows;
    expect(zero.find(({ metric }) => metric === 'requestsPerSec')!.changeRatio).toBeNull();
  });
  test('decide no condition: a change that nothing bounds is unsure, one that nobody knows unknown', () => {
    const pair = [run('a'), run('b', { requestsPerSec: 1 })];
    expect(gate(pair, 'requestsPerSec<-5%')[0]).toMatchObject({
      state: 'unsure',
      decidedBy: null,
      needs: null,
      measured: expect.closeTo(-0.8, 9) as number,
    });
    expect(gate(pair, 'tpot<-5%')[0]).toMatchObject({ state: 'unknown', measured: null });
    const rare = (p98: number) => ({ latencyMs: sampleDistribution({ mean: 2000, p98 }) });
    expect(gate([run('a', rare(100)), run('b', rare(150))], 'latency.p98>5%')[0]).toMatchObject({
      state: 'unsure',
      measured: expect.closeTo(0.5, 9) as number,
    });
    expect(gate([run('a', rare(0)), run('b', rare(150))], 'latency.p98>5%')[0]).toMatchObject({ state: 'unknown' });
  });
});

test("law: significant is what Holm's step-down leaves of all changes together, and each row says that of its second run", () => {
  const { rows } = comparePoint([played('a', 100), played('b', 100.6), played('c', 130)], 1, [], () => []);
  const all = rows
    .flatMap(({ changes }) => changes)
    .filter(({ pValue }) => pValue !== null)
    .toSorted((a, b) => a.pValue! - b.pValue!);
  const first = all.findIndex(({ pValue }, i) => pValue! > 0.05 / (all.length - i));
  expect(first).toBeGreaterThan(0);
  expect(all.map(({ significant }) => significant)).toEqual(all.map((_, i) => i < first));
  for (const row of rows) expect(row.significant).toBe(row.changes[0]!.significant);
  const latency = rows.find(({ metric }) => metric === 'latency.mean')!;
  expect(latency.basis).toBe('steady');
  expect(latency.changes[1]!.changeRatio).toBeCloseTo(0.3, 1);
  const sure = gate([played('a', 100), played('c', 130)], 'latency.mean>5%')[0]!;
  expect(sure).toMatchObject({ state: 'failed', decidedBy: 'interval', needs: null });
  expect(gate([played('a', 100), played('c', 130)], 'latency.mean>120ms')[0]).toMatchObject({
    state: 'failed',
    decidedBy: 'value',
  });
});

describe('where the load that stood differs', () => {
  const held = (id: string, concurrencyAchieved: number | null, outputTokensPerSec: number | null): ComparedRun =>
    run(id, { concurrencyAchieved, outputTokensPerSec });
  const share = (...runs: ComparedRun[]) => loadShare(runs, 8, []);

  test("requests in flight are the measured ones, else Little's law by count and time, else by rate", () => {
    expect(inFlightOf(samplePoint({ concurrencyAchieved: 7 }))).toBe(7);
    // 1,000 of 1,990 ms in 200 s.
    expect(inFlightOf(samplePoint({ concurrencyAchieved: null }))).toBeCloseTo(9.95, 9);
    expect(inFlightOf(samplePoint({ concurrencyAchieved: null, durationMs: null, requestsPerSec: 4 }))).toBeCloseTo(
      7.96,
      9,
    );
    expect(inFlightOf(samplePoint({ concurrencyAchieved: null, durationMs: 0, requestsPerSec: 4 }))).toBeCloseTo(
      7.96,
      9,
    );
    expect(inFlightOf(samplePoint({ concurrencyAchieved: null, durationMs: null, requestsPerSec: null }))).toBeNull();
    expect(inFlightOf(samplePoint({ concurrencyAchieved: null, latencyMs: null }))).toBeNull();
  });

  test('throughput is told per request in flight, and how much of its change the load explains on a logarithmic scale', () => {
    const { row, findings } = share(held('a', 10, 100), held('b', 20, 240), held('c', 10.4, 100));
    expect(row).toMatchObject({
      metric: perInFlight,
      load: 8,
      values: [10, 12, 100 / 10.4],
      basis: 'whole',
      interval: null,
    });
    expect(row!.changeRatio).toBeCloseTo(0.2, 9);
    // Within 5 % it is the same load.
    expect(findings.map(({ about }) => about)).toEqual(['a / b']);
    const { evidence, message } = findings[0]!.finding;
    expect(evidence['throughput']).toBeCloseTo(1.4, 9);
    expect(evidence['inFlight']).toBeCloseTo(1, 9);
    expect(evidence['loadShare']).toBeCloseTo(Math.log(2) / Math.log(2.4), 9);
    expect(message).toBe(
      'a / b: output tokens/s +140.0 %, requests in flight +100.0 %, per request in flight +20.0 %: most of the difference is load.',
    );
  });

  test('its words are those of the share: less than half, or the other way', () => {
    const says = (inFlight: number, rate: number) =>
      share(held('a', 10, 100), held('b', inFlight, rate)).findings[0]!.finding;
    expect(says(11, 200).message).toMatch(/less than half of the difference is load\.$/);
    expect(says(11, 200).zh.message).toContain('负载只解释了不到一半的差异');
    expect(says(20, 90).message).toMatch(/the load differs the other way\.$/);
    expect(says(20, 90).evidence['loadShare']).toBeNull();
    // Half a percent is no difference that anything explains.
    expect(says(20, 100.5).message).toMatch(/the other way\.$/);
  });

  test('nothing is told of equal or unknown loads, and of open loops', () => {
    const none = { row: null, findings: [] };
    expect(share(held('a', 10, 100), held('b', 10.49, 100))).toEqual(none);
    const unknown = run('a', { concurrencyAchieved: null, latencyMs: null });
    expect(share(unknown, held('b', 20, 100))).toEqual(none);
    for (const kind of ['open', 'replay'] as const)
      expect(share(held('a', 10, 100), run('b', { concurrencyAchieved: 20, load: { ...base.load, kind } }))).toEqual(
        none,
      );
    expect(share(held('a', 10, 100), held('b', 20, null))).toMatchObject({
      findings: [],
      row: { values: [10, null], changeRatio: null },
    });
  });

  test("the baseline's own throughput at that load is a point of the line between its neighbours", () => {
    const curve = [
      samplePoint({ concurrencyAchieved: 30, outputTokensPerSec: 400 }),
      samplePoint({ concurrencyAchieved: 10, outputTokensPerSec: 100 }),
    ];
    const beside = (inFlight: number, rate: number) =>
      loadShare([held('a', 10, 100), held('b', inFlight, rate)], 8, curve).findings[0]!.finding.evidence[
        'atInterpolatedLoad'
      ];
    expect(beside(15, 350)).toBeCloseTo(350 / 175 - 1, 9);
    expect(beside(30, 400)).toBeCloseTo(0, 9);
    expect([beside(40, 400), beside(5, 400)]).toEqual([null, null]);
  });
});

describe('sides of several points', () => {
  const side = (name: string, points: Partial<Summary>[]) => ({
    id: name,
    name,
    points: points.map((changes, i) => run(`${name}${i}`, changes)),
  });

  test('pair where they were asked the same, in the order of the load; the rest is left out by name', () => {
    const { pairs, left } = pairPoints([
      side(
        'a',
        [16, 4, 8].map((n) => atLoad(n)),
      ),
      side(
        'b',
        [8, 32, 16].map((n) => atLoad(n)),
      ),
    ]);
    expect(pairs.map(({ load, place, at }) => [load, place, at.map((one) => one?.id)])).toEqual([
      [8, null, ['a2', 'b0']],
      [16, null, ['a0', 'b2']],
    ]);
    expect(left.map(({ evidence }) => evidence)).toEqual([
      { run: 'a', points: '4' },
      { run: 'b', points: '32' },
    ]);
  });

  test('single points are a pair whatever they were asked', () => {
    const { pairs, left } = pairPoints([side('a', [atLoad(1)]), side('b', [atLoad(9)])]);
    expect([pairs.map(({ load }) => load), left]).toEqual([[1], []]);
  });

  test('more than twelve that are left out are counted', () => {
    const many = side(
      'b',
      [1, ...Array.from({ length: 13 }, (_, i) => 100 + i)].map((n) => atLoad(n)),
    );
    const told = (one: typeof many): string =>
      pairPoints([side('a', [atLoad(1), atLoad(2)]), one]).left.at(-1)!.message;
    expect(told(many)).toMatch(/111 … \(13\);/);
    expect(told({ ...many, points: many.points.slice(0, 13) })).toMatch(/, 111;/);
  });

  test('a side that has no such point is told as nothing in its column, and what nobody shares compares nothing', () => {
    const three = [
      side('a', [atLoad(4), atLoad(8)]),
      side('b', [atLoad(8), atLoad(16)]),
      side('c', [atLoad(4, { requestsPerSec: 10 }), atLoad(8)]),
    ];
    const told = compareSweeps(three, [], () => []);
    const rows = told.metrics.filter(({ metric }) => metric === 'requestsPerSec');
    expect(
      rows.map(({ load, values, changes }) => [load, values, changes.map(({ changeRatio }) => changeRatio)]),
    ).toEqual([
      [4, [5, null, 10], [null, 1]],
      [8, [5, 5, 5], [0, 0]],
    ]);
    expect([told.runs, told.baseline, told.comparable]).toEqual([['a', 'b', 'c'], 'a', true]);
    const apart = compareSweeps([side('a', [atLoad(1), atLoad(2)]), side('b', [atLoad(3), atLoad(4)])], [], () => []);
    expect([apart.comparable, apart.metrics, apart.findings.map(({ code }) => code)]).toEqual([
      false,
      [],
      ['no-shared-load'],
    ]);
  });
});
