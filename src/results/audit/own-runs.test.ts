import { describe, expect, test } from 'vitest';
import type { ClientHealth, RunPlan, Steady, Summary, WorkerShareFacts } from '../../core/index.ts';
import { verdictOf } from '../../core/index.ts';
import { auditSummary } from './index.ts';
import type { AuditContext } from './index.ts';
import { sampleDistribution, samplePoint } from '../../../test/sample-point.ts';

const codes = (point: Summary, context: AuditContext = {}): string[] =>
  auditSummary(point, context).map((finding) => finding.code);
const found = (code: string, point: Summary, context: AuditContext = {}) =>
  auditSummary(point, context).find((finding) => finding.code === code);
const counts = (changes: Partial<Summary['counts']>): Partial<Summary> => ({
  counts: { ...samplePoint().counts, ...changes },
});
const health = (changes: Partial<ClientHealth>): ClientHealth => ({
  loopDelayP50Ms: 1,
  loopDelayP99Ms: 2,
  loopDelayMaxMs: 3,
  cpuRatio: 0.2,
  threads: 1,
  connectionsOpened: 10,
  connectionsReused: 990,
  rssMaxBytes: 1e8,
  ...changes,
});

test('a clean run raises no doubt', () => {
  expect(codes(samplePoint({ client: health({}) }))).toEqual([]);
});

describe('partial-run', () => {
  test('says how many were not sent and how many were cancelled in flight', () => {
    const point = samplePoint({
      partial: true,
      ...counts({ ok: 700, cancelled: 300, byProblem: { 'not-sent': 290, cancelled: 10 } }),
    });
    expect(found('partial-run', point)).toMatchObject({
      severity: 'warn',
      evidence: { planned: 1000, notSent: 290, cancelled: 300 },
    });
    expect(found('partial-run', point)!.message).toContain('290 of 1000');
    expect(found('partial-run', point)!.message).toContain('10 were cancelled in flight');
  });
});

describe('unaccounted-requests, nothing-ok, failures', () => {
  test('a lost request makes a run invalid', () => {
    const findings = auditSummary(samplePoint(counts({ ok: 999, unaccounted: 1 })));
    expect(verdictOf(findings).valid).toBe(false);
    expect(findings[0]!.code).toBe('unaccounted-requests');
  });
  test('nothing succeeded', () => {
    const point = samplePoint({
      ...counts({ ok: 0, failed: 1000, byProblem: { 'connect-refused': 1000 } }),
      latencyMs: null,
      ttftMs: null,
      outputTokens: null,
      requestsPerSec: 0,
      outputTokensPerSec: 0,
    });
    expect(found('nothing-ok', point)).toMatchObject({
      severity: 'invalid',
      evidence: { topProblem: 'connect-refused' },
    });
    expect(codes(point)).not.toContain('failures');
  });
  // With a duration, what was not due yet was not planned either.
  test.each([1000, 0])('a run stopped before any of %i ended measured nothing: nobody is blamed for it', (planned) => {
    const point = samplePoint({
      ...counts({
        planned,
        issued: planned,
        ok: 0,
        failed: 0,
        cancelled: planned,
        byProblem: planned === 0 ? {} : { 'not-sent': planned },
      }),
      client: health({ cpuRatio: 1.1 }),
      partial: true,
      latencyMs: null,
      ttftMs: null,
      outputTokens: null,
      requestsPerSec: null,
      outputTokensPerSec: null,
    });
    expect(found('nothing-ok', point)!.message).toContain('stopped before any request had ended');
    expect(found('nothing-ok', point)!.advice).not.toContain('curl');
    expect(codes(point)).not.toContain('client-bound');
    expect(verdictOf(auditSummary(point)).valid).toBe(false);
  });
  test.each([
    [9, 'info'],
    [10, 'warn'],
    [200, 'warn'],
  ])('%i failures of 1000 are %s', (failed, severity) => {
    const finding = found(
      'failures',
      samplePoint(counts({ ok: 1000 - failed, failed, byProblem: { 'http-5xx': failed - 1, reset: 1 } })),
    );
    expect(finding).toMatchObject({ severity, evidence: { failed, topProblem: 'http-5xx' } });
    expect(finding!.message).toMatch(/server error.*connection reset/);
  });
});

describe('client-room', () => {
  const room = { fileHandlesLeft: 3, fileHandlesLimit: 64, portsLeft: 20_000, portsLimit: 28_232 };
  const out = (failed: number): Partial<Summary> =>
    counts({ ok: 1000 - failed, failed, byProblem: { 'client-resources': failed } });
  test('few handles left is a warning; requests that failed for want of them make the run one of the client', () => {
    expect(found('client-room', samplePoint({ client: health(room) }))).toMatchObject({ severity: 'warn' });
    const finding = found('client-room', samplePoint({ client: health(room), ...out(260) }))!;
    expect(finding).toMatchObject({ severity: 'invalid', evidence: { failed: 260 } });
    expect(finding.message).toContain('260 requests failed on this side');
  });
  test('is told by the failures alone where no look at the host saw it, with both ways out', () => {
    const finding = found('client-room', samplePoint({ client: health({}), ...out(5) }))!;
    expect(finding.severity).toBe('warn');
    expect(finding.advice).toMatch(/ulimit -n.*ip_local_port_range/);
  });
  test('room enough, nothing failed of it: nothing is said', () => {
    const client = health({ ...room, fileHandlesLeft: 60 });
    expect(codes(samplePoint({ client, ...counts({ ok: 990, failed: 10, byProblem: { reset: 10 } }) }))).not.toContain(
      'client-room',
    );
  });
});

test('a client at its limit is not blamed for refusals, which come as fast as they are asked for, but for timeouts', () => {
  const point = (code: 'http-5xx' | 'timeout-read'): Summary =>
    samplePoint({
      ...counts({ ok: 0, failed: 1000, byProblem: { [code]: 1000 } }),
      client: health({ cpuRatio: 1 }),
      latencyMs: null,
      ttftMs: null,
    });
  expect(codes(point('http-5xx'))).not.toContain('client-bound');
  expect(codes(point('timeout-read'))).toContain('client-bound');
});

describe('client-bound', () => {
  const bound = (client: ClientHealth, changes: Partial<Summary> = {}): boolean =>
    codes(samplePoint({ client, ...changes })).includes('client-bound');
  test('a full core per thread', () => {
    expect([
      bound(health({ cpuRatio: 0.89 })),
      bound(health({ cpuRatio: 0.9 })),
      bound(health({ cpuRatio: 3, threads: 4 })),
      bound(health({ cpuRatio: 3.7, threads: 4 })),
    ]).toEqual([false, true, false, true]);
  });
  test('loop delay counts above 20 ms and above 5 % of what is measured', () => {
    const slow = { ttftMs: sampleDistribution({ p50: 2000 }) };
    expect([
      bound(health({ loopDelayP99Ms: 19 })),
      bound(health({ loopDelayP99Ms: 21 })),
      bound(health({ loopDelayP99Ms: 90 }), slow),
      bound(health({ loopDelayP99Ms: 110 }), slow),
    ]).toEqual([false, true, false, true]);
  });
  test('a run with no tails of its own is judged by what happens one time in ten, and warned of the rest', () => {
    const few = { latencyMs: sampleDistribution({ n: 50 }) };
    const many = { latencyMs: sampleDistribution({ n: 1000 }) };
    const stalls = health({ loopDelayP90Ms: 3, loopDelayP99Ms: 60 });
    expect([bound(stalls, few), bound(stalls, many)]).toEqual([false, true]);
    expect(found('client-stalls', samplePoint({ client: stalls, ...few }))?.severity).toBe('warn');
    expect(found('client-stalls', samplePoint({ client: stalls, ...many }))).toBeUndefined();
    expect(bound(health({ loopDelayP90Ms: 30, loopDelayP99Ms: 60 }), few)).toBe(true);
    // A run from before the figure was kept is judged as it was then.
    expect(bound(health({ loopDelayP99Ms: 60 }), few)).toBe(true);
  });
  test('not streamed: the latency is the yardstick', () => {
    const plain = { ttftMs: null, latencyMs: sampleDistribution({ p50: 1000, mean: 1990 }) };
    expect([bound(health({ loopDelayP99Ms: 45 }), plain), bound(health({ loopDelayP99Ms: 55 }), plain)]).toEqual([
      false,
      true,
    ]);
  });
  test('lateness counts in an open loop without a cap; under a cap it is the server that holds asks back', () => {
    const open = (concurrency: number | null): Partial<Summary> => ({
      load: { kind: 'open', concurrency, ratePerSec: 5, stream: true },
      latenessMs: sampleDistribution({ p99: 50 }),
    });
    expect([bound(health({}), open(null)), bound(health({}), open(10))]).toEqual([true, false]);
  });
  test('a client that says nothing is not accused', () => {
    expect(codes(samplePoint({ client: null }))).toEqual([]);
    expect(bound(health({ cpuRatio: null, loopDelayP99Ms: null }))).toBe(false);
  });
});

describe('concurrency-not-reached and rate-not-achieved', () => {
  const steady = (concurrencyAchieved: number): Partial<Summary> => ({
    steady: { concurrencyAchieved, fromMs: 0, toMs: 1 } as Steady,
  });
  test.each([
    [9.5, undefined],
    [9.4, 'warn'],
    [7.9, 'invalid'],
  ])('%d of 10 in the steady stretch', (achieved, severity) => {
    expect(found('concurrency-not-reached', samplePoint(steady(achieved)))?.severity).toBe(severity);
  });
  test('an open loop is judged by when its requests left, not by chance in the schedule', () => {
    const open = (p99: number): Summary =>
      samplePoint({
        load: { kind: 'open', concurrency: null, ratePerSec: 5, stream: true },
        latenessMs: sampleDistribution({ p99 }),
      });
    // 1,000 asks at 5/s span 200 s by plan: 1 s late stretches that by 0.5 %, 4 s by 2 %.
    expect([found('rate-not-achieved', open(1000)), found('rate-not-achieved', open(4000))?.severity]).toEqual([
      undefined,
      'warn',
    ]);
  });
  test('a measured send rate is believed', () => {
    const point = samplePoint({ load: { kind: 'open', concurrency: null, ratePerSec: 5, stream: true } });
    expect(found('rate-not-achieved', point, { sendsPerSec: 4.9 })?.evidence).toMatchObject({
      ratePerSecAsked: 5,
      ratePerSecAchieved: 4.9,
    });
    expect(found('rate-not-achieved', point, { sendsPerSec: 4.96 })).toBeUndefined();
  });
});

describe('the rest of the doubts about own runs', () => {
  test('too-few-samples names the percentiles and the number needed', () => {
    const few = (n: number): Summary =>
      samplePoint({
        ...counts({ planned: n, ok: n }),
        latencyMs: sampleDistribution({ mean: 1990, p50: 1990, p90: 2400, p99: 2500, n }),
        ttftMs: null,
      });
    expect(found('too-few-samples', few(1000))).toBeUndefined();
    expect(found('too-few-samples', few(999))?.evidence).toEqual({ n: 999, percentiles: 'p99', needed: 1000 });
    expect(found('too-few-samples', few(99))?.evidence).toEqual({ n: 99, percentiles: 'p90, p99', needed: 1000 });
  });
  test('dataset-cycled follows the plan', () => {
    const plan = { dataset: { cycled: true, items: 8 } } as RunPlan;
    expect(found('dataset-cycled', samplePoint(), { plan })).toMatchObject({
      severity: 'warn',
      evidence: { requests: 1000, prompts: 8 },
    });
    expect(found('dataset-cycled', samplePoint(), { plan: null })).toBeUndefined();
  });
  test('tokens-unknown and not-streamed', () => {
    const point = samplePoint({
      outputTokens: null,
      outputTokensPerSec: null,
      ttftMs: null,
      load: { kind: 'closed', concurrency: 10, ratePerSec: null, stream: false },
    });
    expect(codes(point)).toEqual(['tokens-unknown', 'not-streamed']);
  });
  test('short-run: fewer than three mean latencies', () => {
    const lasting = (durationMs: number): Summary => samplePoint({ durationMs, ...counts({ planned: 30, ok: 30 }) });
    expect([found('short-run', lasting(6000)), found('short-run', lasting(5900))?.severity]).toEqual([
      undefined,
      'warn',
    ]);
  });
  test('kv-bound reads what the server told', () => {
    expect(codes(samplePoint({ server: { kvUsageMaxRatio: 0.99, preemptions: 3 } }))).toEqual(['kv-bound']);
    expect(codes(samplePoint({ server: { kvUsageMaxRatio: 0.5, preemptions: 0 } }))).toEqual([]);
  });
});

test('every finding speaks both languages, with the same numbers in both', () => {
  const points = [
    samplePoint({ partial: true, ...counts({ ok: 0, failed: 900, unaccounted: 100 }) }),
    samplePoint({ client: health({ cpuRatio: 1 }), ...counts({ ok: 900, failed: 100 }) }),
  ];
  for (const finding of points.flatMap((point) => auditSummary(point))) {
    expect(finding.zh.message).toMatch(/\p{Script=Han}/u);
    expect(finding.zh.advice).toMatch(/\p{Script=Han}/u);
    const numbers = (text: string): string[] =>
      [...text.matchAll(/\d+(?:\.\d+)?/g)].map(([number]) => number).toSorted();
    expect(numbers(finding.zh.message)).toEqual(numbers(finding.message));
  }
});

describe('cold-start', () => {
  const slow = (max: number, ttftMax: number) =>
    samplePoint({
      latencyMs: sampleDistribution({ mean: 3000, p50: 3000, p90: 3300, p99: 3400, max }),
      ttftMs: sampleDistribution({ mean: 60, p50: 60, p90: 70, p99: 80, max: ttftMax }),
    });
  test('first tokens ten times and answers twice as slow as nine in ten', () => {
    expect(found('cold-start', slow(9700, 2970))).toMatchObject({
      severity: 'info',
      evidence: { slowestTtftMs: 2970 },
    });
  });
  test('one long answer, or a burst of prompts, is no cold start', () => {
    expect(codes(slow(9700, 300))).not.toContain('cold-start');
    expect(codes(slow(3900, 2970))).not.toContain('cold-start');
  });
});

describe('sick-worker', () => {
  const worker = (name: string, exchanges: number, client: ClientHealth | null): WorkerShareFacts => ({
    name,
    host: 'h',
    labels: {},
    state: 'stayed',
    exchanges,
    lostAsks: 0,
    lateExchanges: 0,
    bufferedMost: 0,
    clockErrorMs: 0.1,
    clockDriftMs: 0,
    health: client,
  });
  const full = health({ cpuRatio: 0.97 });
  const among = (sickExchanges: number): Summary =>
    samplePoint({
      // The worst of each figure stands here; it must not condemn those who were well.
      client: full,
      workers: [worker('good', 1000 - sickExchanges, health({})), worker('bad', sickExchanges, full)],
    });

  test('invalidates the run from 5 % of the exchanges on, and names who was sick and who was not', () => {
    const point = among(50);
    expect(found('sick-worker', point)).toMatchObject({
      severity: 'invalid',
      evidence: { workers: 2, sick: 'bad', sound: 'good', shareRatio: 0.05 },
    });
    expect(found('sick-worker', point)!.message).toContain('5');
    expect(verdictOf(auditSummary(point)).valid).toBe(false);
  });
  test('warns below: its share is told, the others stand', () => {
    const point = among(49);
    expect(found('sick-worker', point)).toMatchObject({ severity: 'warn', evidence: { sick: 'bad' } });
    expect(verdictOf(auditSummary(point)).valid).toBe(true);
    expect(codes(point)).not.toContain('client-bound');
  });
  test('an event loop that ran late is sick too; well machines and unknown health are not', () => {
    const late = worker('late', 500, health({ loopDelayP99Ms: 900 }));
    expect(found('sick-worker', samplePoint({ workers: [worker('a', 500, health({})), late] }))).toMatchObject({
      severity: 'invalid',
      evidence: { sick: 'late', sound: 'a' },
    });
    expect(codes(samplePoint({ workers: [worker('a', 500, health({})), worker('b', 500, null)] }))).toEqual([]);
    expect(codes(samplePoint({ client: full }))).not.toContain('sick-worker');
  });
});

describe('text-in-bursts, decode-starvation', () => {
  const latencies = { latencyMs: sampleDistribution({ mean: 1000 }), ttftMs: sampleDistribution({ mean: 100 }) };

  test('eight pieces within 4 ms and then 80 ms of silence, over and over, are bursts and no starvation', () => {
    const itlMs = sampleDistribution({ mean: 10.5, p50: 0.57, p75: 0.6, p90: 80, p98: 81, p99: 82 });
    const point = samplePoint({ ...latencies, itlMs });
    expect(codes(point)).toContain('text-in-bursts');
    expect(codes(point)).not.toContain('decode-starvation');
    expect(verdictOf(auditSummary(point)).valid).toBe(true);
  });

  test('one long stall in an answer of many even gaps is starvation and no burst', () => {
    const itlMs = sampleDistribution({ mean: 265, p50: 26.5, p75: 26.7, p90: 27, p98: 8000, p99: 9000 });
    const point = samplePoint({ ...latencies, itlMs });
    expect(codes(point)).toContain('decode-starvation');
    expect(codes(point)).not.toContain('text-in-bursts');
  });
});
