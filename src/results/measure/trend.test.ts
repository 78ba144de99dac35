import { describe, expect, test } from 'vitest';
import { randomStream } from '../../core/index.ts';
import { exchange } from '../../../test/fixtures/measure/exchanges.ts';
import { comparePoint } from './compare.ts';
import { makeMeter } from './meter.ts';
import { slicesOf } from './slices.ts';
import { summarise } from './summarise.ts';
import { makeTrace } from './trace.ts';
import { trendOf } from './trend.ts';
import type { HistoryRun } from './trend.ts';

/** A run of one user whose requests take about `ms`, on a day of November. */
function night(day: number, ms: number, concurrency = 1): HistoryRun {
  const load = { kind: 'closed', concurrency } as const;
  const meter = makeMeter({ load, stream: true });
  const trace = makeTrace(load);
  const stream = randomStream(day, 'night');
  let at = 0;
  for (let seq = 0; seq < 200; seq++) {
    const took = ms * (1 + 0.1 * stream.normal());
    const chunks = { atMs: [at + took / 2], tokens: [1], kinds: 'a' };
    const one = exchange({ seq, dueMs: at, sentMs: at, chunks, endMs: at + took });
    meter.add(one);
    trace.add(one);
    at += took;
  }
  const asked = { ...load, ratePerSec: null, stream: true };
  const id = `run-${day}-${concurrency}`;
  const summary = summarise(meter, { runId: id, simulated: true, load: asked, planned: 200 });
  summary.verdict = { valid: true, findings: [] };
  const startedAt = `2026-11-${String(day).padStart(2, '0')}T00:00:00Z`;
  return { id, label: 'nightly', startedAt, summary, slices: slicesOf(trace) };
}

const days = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

describe('a metric over many runs', () => {
  test('stands in the order of time, with the place where it changed, by how much and how sure', () => {
    const runs = days(20).map((day) => night(day, day < 15 ? 100 : 130));
    const [curve, ...others] = trendOf(runs.toReversed(), 'latency.mean');
    expect(others).toEqual([]);
    expect(curve!.points.map(({ startedAt }) => startedAt)).toEqual(runs.map(({ startedAt }) => startedAt));
    expect(curve!.changes).toMatchObject([{ at: 14, runId: 'run-15-1', before: 14, after: 6 }]);
    const { changeRatio, interval } = curve!.changes[0]!;
    expect(changeRatio).toBeCloseTo(0.3, 1);
    expect(interval![0]).toBeLessThan(0.3);
    expect(interval![1]).toBeGreaterThan(0.3);
    expect(curve!.points[3]!.level).toBeCloseTo(100, -1);
  });
  test('a setting that was changed once is a change on the curve, settings that are tried by turns are curves', () => {
    const set = (run: HistoryRun, batch: number): HistoryRun => ({
      ...run,
      summary: { ...run.summary, asked: { settings: { maxBatchSize: String(batch) } } },
    });
    const once = trendOf(
      days(12).map((day) => set(night(day, day < 8 ? 100 : 130), day < 8 ? 200 : 12)),
      'latency.mean',
    );
    expect(once.map(({ points }) => points.length)).toEqual([12]);
    const turns = trendOf(
      days(12).map((day) => set(night(day, 100), day % 2 === 0 ? 200 : 12)),
      'latency.mean',
    );
    expect(turns.map(({ points }) => points.length)).toEqual([6, 6]);
  });
  test('of two runs changes where a comparison of the two is sure of it, and by the same interval', () => {
    for (const [a, b] of [
      [100, 101],
      [100, 110],
    ] as const) {
      const runs = [night(1, a), night(2, b)];
      const compared = comparePoint(
        runs.map((run) => ({ ...run, name: run.id, plan: null })),
        1,
        [],
        () => [],
      ).rows.find(({ metric }) => metric === 'latency.mean')!;
      const alone = compared.interval![0] > 0 || compared.interval![1] < 0;
      const [curve] = trendOf(runs, 'latency.mean');
      expect(curve!.changes.length).toBe(alone ? 1 : 0);
      if (alone) expect(curve!.changes[0]!.interval![0]).toBeCloseTo(compared.interval![0], 1);
    }
  });
  test('has a curve for each load, and a run that is not valid stands on it without taking part', () => {
    const broken = night(3, 500);
    broken.summary.verdict = { valid: false, findings: [] };
    const runs = [night(1, 100), night(2, 100), broken, night(1, 100, 8), night(2, 100, 8)];
    const curves = trendOf(runs, 'latency.p50');
    expect(curves.map(({ name, points }) => [name, points.length])).toEqual([
      ['1', 3],
      ['8', 2],
    ]);
    expect(curves[0]!.points[2]).toMatchObject({ value: null, valid: false, level: null });
    expect(curves[0]!.changes).toEqual([]);
  });
  test('of shares has levels though most are zero', () => {
    const runs = days(12).map((day) => {
      const run = night(day, 100);
      if (day > 8) run.summary.counts.failed = 60;
      return run;
    });
    const [curve] = trendOf(runs, 'failed');
    expect(curve!.changes).toMatchObject([{ at: 8, changeRatio: null, interval: null }]);
    expect(curve!.points.map(({ level }) => level)).toEqual([...Array(8).fill(0), ...Array(4).fill(0.3)]);
  });
});
