import { describe, expect, test } from 'vitest';
import { auditPoints } from '../../src/results/audit/index.ts';
import { randomStream } from '../../src/core/index.ts';
import type { RandomStream } from '../../src/core/index.ts';
import { importText } from '../imported.ts';

/** What can go wrong in one emulated run. */
interface Faults {
  /** Requests longer than this fail; a client slot whose first request does is gone for good, as in evalscope 0.5. */
  timeoutSec?: number;
  /** One request hangs from this share of the run on, until the timeout. */
  stuckAt?: number;
  /** One answer is this many times as long as it should be. */
  runaway?: number;
}

interface Run {
  block: string;
  lost: number;
  failed: number;
  ok: number;
  /** When the last request succeeded: the time the work really took. */
  lastSuccessSec: number;
}

/** Plays evalscope 0.5.5's client in virtual time, with its clocks and counters, and prints its block. */
function play(
  concurrency: number,
  requests: number,
  secPerToken: number,
  chance: RandomStream,
  faults: Faults = {},
): Run {
  const timeout = faults.timeoutSec ?? Infinity;
  const free = Array.from({ length: concurrency }, () => ({ at: 0, first: true }));
  const done: { latency: number; tokens: number }[] = [];
  let [failed, lastSuccess, lastEnd, sent] = [0, 0, 0, 0];
  const strange = Math.floor(requests * (faults.stuckAt ?? 0.5));
  while (sent < requests && free.length > 0) {
    const slot = free.reduce((best, next) => (next.at < best.at ? next : best));
    const usual = Math.max(5, Math.min(600, 240 + 95 * chance.normal()));
    const tokens = faults.runaway !== undefined && sent === strange ? 240 * faults.runaway : usual;
    const latency = faults.stuckAt !== undefined && sent === strange ? Infinity : tokens * secPerToken;
    sent++;
    const end = slot.at + Math.min(latency, timeout);
    if (latency <= timeout) {
      done.push({ latency, tokens: Math.round(tokens) });
      lastSuccess = Math.max(lastSuccess, end);
    } else if (slot.first && faults.stuckAt === undefined) free.splice(free.indexOf(slot), 1);
    else failed++;
    if (latency <= timeout || !slot.first || faults.stuckAt !== undefined) lastEnd = Math.max(lastEnd, end);
    slot.at = end;
    slot.first = false;
  }
  const ok = done.length;
  const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
  const sorted = done.map((one) => one.latency).toSorted((a, b) => a - b);
  const mean = sum(sorted) / ok;
  const perSec = sum(done.map((one) => one.tokens)) / lastSuccess;
  const spread = [50, 66, 75, 80, 90, 95, 98, 99].map(
    (rank) => `     p${rank}: ${sorted[Math.floor((ok * rank) / 100)]!.toFixed(4)}`,
  );
  const lines = [
    'Benchmarking summary: ',
    ` Time taken for tests: ${lastEnd.toFixed(3)} seconds`,
    ` Expected number of requests: ${requests}`,
    ` Number of concurrency: ${concurrency}`,
    ` Total requests: ${ok + failed}`,
    ` Succeed requests: ${ok}`,
    ` Failed requests: ${failed}`,
    ` Average QPS: ${(ok / lastEnd).toFixed(3)}`,
    ` Average latency: ${mean.toFixed(3)}`,
    ` Throughput(average output tokens per second): ${perSec.toFixed(3)}`,
    ` Average time to first token: ${mean.toFixed(3)}`,
    ` Average input tokens per request: 40.296`,
    ` Average output tokens per request: ${(sum(done.map((one) => one.tokens)) / ok).toFixed(3)}`,
    ` Average time per output token: ${(1 / perSec).toFixed(5)}`,
    ' Average package per request: 1.000',
    ` Average package latency: ${mean.toFixed(3)}`,
    ' Percentile of time to first token: ',
    ...spread,
    ' Percentile of request latency: ',
    ...spread,
  ];
  return { block: lines.join('\n'), lost: requests - ok - failed, failed, ok, lastSuccessSec: lastSuccess };
}

function audited(blocks: readonly string[]): { status: string; invalid: string[] }[] {
  const { sweeps, problems } = importText(blocks.join('\n\n'));
  expect(problems).toEqual([]);
  return auditPoints(sweeps[0]!.points).points.map((point) => ({
    status: point.status,
    invalid: point.findings.filter((finding) => finding.severity === 'invalid').map((finding) => finding.code),
  }));
}

describe('rows of an emulated evalscope 0.5 client, with faults that are known', () => {
  const chance = randomStream(42, 'emulated rows');
  test('nothing wrong: never invalid, from concurrency 1 to half the number of requests', () => {
    const flagged: string[] = [];
    for (let n = 0; n < 120; n++) {
      for (const [concurrency, requests] of [
        [1, 20],
        [8, 1000],
        [16, 1000],
        [32, 200],
        [64, 1000],
        [100, 200],
        [128, 1000],
        [256, 1000],
        [500, 1000],
      ] as const) {
        const [row] = audited([play(concurrency, requests, 0.01 + 0.05 * chance.next(), chance).block]);
        if (row!.status !== 'clean') flagged.push(`${concurrency}/${requests}: ${row!.invalid.join()}`);
      }
    }
    expect(flagged).toEqual([]);
  });
  test('a timeout that costs 1 % or more of the requests is always named', () => {
    let rows = 0;
    for (let n = 0; n < 400; n++) {
      const run = play([16, 32, 64, 128, 200][n % 5]!, 1000, 0.03 + 0.05 * chance.next(), chance, { timeoutSec: 30 });
      if (run.lost + run.failed < 10 || run.ok < 300) continue;
      rows++;
      const [row] = audited([run.block]);
      expect(row!.status).toBe('unusable');
      expect(row!.invalid).toContain(run.lost > 0 ? 'unaccounted-requests' : 'censored-percentiles');
    }
    expect(rows).toBeGreaterThan(100);
  });
  test('one stuck request is named, and the repaired rate is the true one', () => {
    for (let n = 0; n < 100; n++) {
      const concurrency = [8, 64, 200][n % 3]!;
      const run = play(concurrency, 1000, 0.01 + 0.02 * chance.next(), chance, {
        timeoutSec: 120,
        stuckAt: 0.9 + 0.09 * chance.next(),
      });
      const { sweeps } = importText(run.block);
      const [point] = auditPoints(sweeps[0]!.points).points;
      expect(point!.findings[0]!.code).toBe('stuck-request');
      expect(point!.status).toBe('repairable');
      expect(point!.repaired!.requestsPerSec! * run.lastSuccessSec).toBeCloseTo(run.ok, 1);
    }
  });
  test('one runaway answer in a sweep is named, and its neighbours are not', () => {
    for (let n = 0; n < 40; n++) {
      const loads = [8, 16, 32, 64, 128];
      const at = 1 + (n % 4);
      const rows = audited(
        loads.map((load, i) => play(load, 1000, 0.02, chance, i === at ? { runaway: 60 } : {}).block),
      );
      rows.forEach((row, i) =>
        expect([i, row.invalid]).toEqual([i, i === at ? ['in-flight-low', 'runaway-generation'] : []]),
      );
    }
  });
});
