import { expect, test } from 'vitest';
import { PartTally } from './part-tally.ts';
import { selftestDoubts } from './selftest-doubts.ts';
import type { SelftestCircumstances } from './selftest-doubts.ts';
import type { SelftestReport } from './run-selftest.ts';

const figures = (p50: number | null): SelftestReport['timestampErrorMs'] => ({
  p50,
  p99: p50,
  max: p50,
  binP99: p50,
  n: p50 === null ? 0 : 1000,
  shares: [],
});
const quiet: Omit<SelftestReport, 'verdict'> = {
  schema: 'llmdyno.selftest/1',
  concurrency: 10,
  stamp: { field: 'emit_ns', unit: 'ns', clock: 'monotonic' },
  timestampErrorMs: figures(0.05),
  scheduleSlipMs: figures(0.05),
  ratePerSec: { asked: 5, scheduled: 9, achieved: 9 },
  tokenGapMs: 20,
  eventsPerSec: 500,
  eventsPerSecPerCore: 50_000,
  requestsPerSecPerCore: 5000,
  streamsPerCore: 800,
  cpuRatio: 0.01,
  cpuWaitRatio: 0,
  rssBytes: 1e8,
  planned: 1000,
  ok: 1000,
  failed: 0,
  byProblem: {},
  unaccounted: 0,
};
const plain: SelftestCircumstances = { alien: false, coarse: false, interrupted: false };
const told = (report: Partial<typeof quiet>, circumstances: Partial<SelftestCircumstances> = {}): string[] =>
  selftestDoubts({ ...quiet, ...report }, { ...plain, ...circumstances }).map(
    ({ severity, code }) => `${severity} ${code}`,
  );

test('a quiet client that answers all of it is not doubted', () => {
  expect(told({})).toEqual([]);
});

test('failures are told, and many of them make the figures those of something else', () => {
  expect(told({ ok: 999, failed: 1, byProblem: { reset: 1 } })).toEqual(['warn failures']);
  expect(told({ ok: 900, failed: 100, byProblem: { reset: 60, 'connect-refused': 40 } })).toEqual(['invalid failures']);
});

test('stamps that lie ahead of the reads, or are of no clock of this host, are never taken for an error of the client', () => {
  expect(told({ timestampErrorMs: figures(-50) })).toEqual(['invalid stamps-ahead']);
  const [doubt] = selftestDoubts({ ...quiet, stamp: null, timestampErrorMs: figures(null) }, { ...plain, alien: true });
  expect([doubt!.code, doubt!.message.includes('"emit_ns"'), doubt!.zh.message.includes('"emit_ns"')]).toEqual([
    'not-stamped',
    true,
    true,
  ]);
});

test('sends that leave late are told, however true the stamps are', () => {
  expect(told({ scheduleSlipMs: { ...figures(1929), p50: 0.3 } })).toEqual(['warn late-sends']);
  expect(told({ scheduleSlipMs: figures(1929) })).toEqual(['invalid late-sends']);
  expect(told({ scheduleSlipMs: figures(19) })).toEqual([]);
});

test('a client that had no core is told to be given one, not to do less', () => {
  const advice = (cpuWaitRatio: number): string =>
    selftestDoubts({ ...quiet, timestampErrorMs: figures(5), cpuRatio: 0.1, cpuWaitRatio }, plain)[0]!.advice;
  expect([advice(0.7), advice(0)].map((text) => /fewer streams/.test(text))).toEqual([false, true]);
});

test('what was cut to the millisecond, and what was ended early, is said', () => {
  expect(told({}, { coarse: true })).toEqual(['info coarse-stamps']);
  expect(told({}, { interrupted: true })).toEqual(['warn interrupted']);
});

test('a schedule drawn by chance is told beside the rate asked for: 3 requests due within a second are two a second', () => {
  const tally = new PartTally();
  const exchange = (dueMs: number): Parameters<PartTally['add']>[0] =>
    ({
      seq: 0,
      outcome: 'ok',
      problem: null,
      dueMs,
      sentMs: dueMs + 1,
      endMs: dueMs + 5,
      chunks: { atMs: [], tokens: [] },
    }) as never;
  for (const dueMs of [100, 300, 1100]) tally.add(exchange(dueMs));
  expect([tally.duePerSec, tally.sentPerSec]).toEqual([2, 2]);
});
