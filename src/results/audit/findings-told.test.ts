import { describe, expect, test } from 'vitest';
import { sampleDistribution, samplePoint } from '../../../test/sample-point.ts';
import type { ClientHealth, Finding, Summary, WorkerShareFacts } from '../../core/index.ts';
import { auditPoints, auditSummary } from './index.ts';

const base = samplePoint();
const found = (code: string, changes: Partial<Summary>) =>
  auditSummary(samplePoint(changes), {}).find((finding) => finding.code === code);
const counts = (changes: Partial<Summary['counts']>) => ({ counts: { ...base.counts, ...changes } });
const by = (tool: string) => ({ source: { tool, file: null } });
const mean = (name: keyof Summary, value: number) => ({ [name]: sampleDistribution({ mean: value }) });
const load = (changes: Partial<Summary['load']>) => ({ load: { ...base.load, ...changes } });
const client = (health: Partial<ClientHealth>) => ({
  client: { loopDelayP99Ms: 2, cpuRatio: 0.2, threads: 1, ...health } as ClientHealth,
});
const of1000 = (code: string, count: number) => counts({ byProblem: { [code]: count } });
/** A table that tells the load by its rate alone: half of ten slots were filled. */
const halfFilled = (latencyMs: number) => ({
  ...by('sglang'),
  ...counts({ planned: null as never, ok: null as never }),
  durationMs: null,
  requestsPerSec: 5000 / latencyMs,
  ...mean('latencyMs', latencyMs),
});
const starved = { itlMs: sampleDistribution({ mean: 50, p50: 10 }) };
const lostMachine = [{ name: 'a', state: 'lost', health: null } as WorkerShareFacts];

test('the gravity of a finding, and the figures it rests on', () => {
  // Figures worked out by hand.
  const told: [string, Partial<Summary>, Partial<Finding>][] = [
    ['counts-impossible', { impossibleCounts: 9 }, { severity: 'info' }],
    ['counts-impossible', { impossibleCounts: 10 }, { severity: 'invalid' }],
    ['client-room', { ...client({}), ...of1000('client-resources', 10) }, { severity: 'warn' }],
    ['client-room', { ...client({}), ...of1000('client-resources', 11) }, { severity: 'invalid' }],
    ['lost-with-worker', of1000('lost-with-worker', 9), { severity: 'warn' }],
    ['lost-with-worker', of1000('lost-with-worker', 10), { severity: 'invalid' }],
    ['lost-with-worker', of1000('lost-with-redis', 1), { severity: 'invalid' }],
    [
      'lost-with-worker',
      counts({ byProblem: { 'lost-with-worker': 3, 'lost-with-redis': 4 } }),
      { evidence: { lostWorkers: null, lostRequests: 7, withWorker: 3, withRedis: 4, planned: 1000 } },
    ],
    ['lost-with-worker', { workers: lostMachine }, { severity: 'warn' }],
    ['lost-with-worker', { workers: lostMachine, ...counts({ planned: 0 }) }, { severity: 'invalid' }],
    ['in-flight-low', halfFilled(49), { severity: 'warn' }],
    ['in-flight-low', halfFilled(50), { severity: 'invalid' }],
    [
      'concurrency-not-reached',
      { steady: { concurrencyAchieved: 8 } as Summary['steady'] },
      { severity: 'warn', evidence: { concurrencyAsked: 10, concurrencyAchieved: 8, planned: 1000 } },
    ],
    [
      'concurrency-not-reached',
      { steady: { concurrencyAchieved: 7.99 } as Summary['steady'] },
      { severity: 'invalid' },
    ],
    ['front-bound', { server: { front: { processes: 1, busiestRatio: 0.949, meanRatio: 0.5 } } }, { severity: 'info' }],
    ['front-bound', { server: { front: { processes: 1, busiestRatio: 0.95, meanRatio: 0.5 } } }, { severity: 'warn' }],
    ['rate-identity', { requestsPerSec: 5.01 }, { severity: 'invalid' }],
    ['rate-identity', { ...by('guidellm'), requestsPerSec: 5.5 }, { severity: 'warn' }],
    [
      'censored-percentiles',
      {
        ...counts({ failed: 3, unaccounted: 2, byProblem: { 'timeout-read': 3 } }),
        latencyMs: sampleDistribution({ mean: 1990, p99: 29_500 }),
      },
      { severity: 'warn', evidence: { p99Ms: 29_500, timeoutSec: 30, cut: 5, cutRatio: 0.005 } },
    ],
    [
      'lost-client-workers',
      { ...by('evalscope'), ...counts({ ok: 500, unaccounted: 3 }), durationMs: 199_000 },
      { evidence: { unaccounted: 3, concurrency: 10, liveSlots: 7, inFlight: 5 } },
    ],
    [
      'lost-client-workers',
      { ...by('evalscope'), ...counts({ ok: 500, unaccounted: 12 }) },
      { evidence: expect.objectContaining({ liveSlots: 0 }) },
    ],
    [
      'chunks-not-tokens',
      { ...by('vllm'), ...mean('itlMs', 25), ...mean('latencyMs', 1090), ...mean('outputTokens', 100) },
      { evidence: { itlMs: 25, perTokenMs: 10, tokensPerChunk: 2.5 } },
    ],
    [
      'length-off-label',
      { server: { generateSize: 50 }, ...mean('outputTokens', 100) },
      { evidence: { asked: 50, meanOutputTokens: 100, offRatio: 1 } },
    ],
    [
      'stuck-request',
      {
        durationMs: 100_000,
        steady: { toMs: 75_000 } as Summary['steady'],
        latencyMs: sampleDistribution({ mean: 1990, max: 5000 }),
        ...counts({ ok: 960, failed: 2, byProblem: { 'timeout-read': 1, reset: 1 } }),
        requestsPerSec: 9.6,
      },
      {
        severity: 'invalid',
        evidence: {
          durationMs: 100_000,
          trueDurationMs: 80_000,
          failed: 2,
          requestsPerSec: 9.6,
          trueRequestsPerSec: 12,
        },
      },
    ],
    [
      'nothing-ok',
      counts({ ok: 0, cancelled: 1000 }),
      { severity: 'invalid', evidence: { planned: 1000, ok: 0, topProblem: null } },
    ],
    [
      'failures',
      counts({ ok: null as never, failed: 5 }),
      { severity: 'warn', evidence: { failed: 5, planned: 1000 } },
    ],
    [
      'failures',
      counts({ ok: null as never, failed: 5, planned: null as never }),
      { evidence: { failed: 5 }, message: '5 requests failed; the source does not say of how many.' },
    ],
    ['failures', counts({ ok: null as never, failed: 5, planned: 0 }), { evidence: { failed: 5 } }],
    [
      'failures',
      counts({ ok: null as never, failed: 5 }),
      { message: '5 of the 1000 requests asked for failed (0.5 %); the source does not say how many succeeded.' },
    ],
    [
      'failures',
      counts({ failed: 10, byProblem: { reset: 4, 'http-5xx': 3, 'connect-refused': 2, 'timeout-read': 1 } }),
      { message: expect.not.stringContaining('(1)') as never },
    ],
    [
      'decode-starvation',
      { ...starved, server: { 'PrefillBatchsize.max': 1, 'MaxDecodeTime.mean': 3000 } },
      {
        message: expect.stringContaining('the longest stall of a request lasts 3 s on average') as never,
        advice: expect.stringContaining('it acts as 1 here') as never,
      },
    ],
    [
      'decode-starvation',
      { ...starved, server: { 'PrefillBatchsize.max': 2 } },
      {
        message: expect.not.stringContaining('longest stall') as never,
        advice: expect.not.stringContaining('it acts as 1 here') as never,
      },
    ],
    [
      'stuck-request',
      { ...by('vllm'), ...counts({ failed: 1 }), durationMs: 320_000, requestsPerSec: 3.125 },
      { message: expect.stringContaining('120 s') as never },
    ],
    [
      'server-silent',
      { silences: [{ fromMs: 0, toMs: 4000, waiting: 1, lost: 0, back: true }], ...client({ loopDelayMaxMs: 1999 }) },
      { evidence: expect.objectContaining({ longestMs: 4000, clientStoodStillMs: null }) },
    ],
    [
      'server-silent',
      { silences: [{ fromMs: 0, toMs: 4000, waiting: 1, lost: 0, back: true }], ...client({ loopDelayMaxMs: 2000 }) },
      { evidence: expect.objectContaining({ longestMs: 4000, clientStoodStillMs: 2000 }) },
    ],
    [
      'rate-not-achieved',
      {
        ...load({ kind: 'open', concurrency: null, ratePerSec: 5 }),
        ...counts({ issued: 900, dropped: 100 }),
        latenessMs: sampleDistribution({ p99: 50_000 }),
      },
      // Nine in ten were sent, and it took 250 s instead of 200.
      {
        evidence: { ratePerSecAsked: 5, ratePerSecAchieved: expect.closeTo(3.6, 9) as never, dropped: 100, cap: null },
      },
    ],
    [
      'sick-worker',
      { workers: [{ name: 'a', exchanges: 0, health: client({ cpuRatio: 1 }).client } as WorkerShareFacts] },
      { severity: 'invalid', evidence: { workers: 1, sick: 'a', sound: null, shareRatio: 1 } },
    ],
    ['short-run', { durationMs: 3980 }, { evidence: { durationMs: 3980, meanLatencyMs: 1990, residences: 2 } }],
  ];
  expect(told.map(([code, changes]) => found(code, changes))).toMatchObject(
    told.map(([code, , finding]) => ({ code, ...finding })),
  );
});

test('the commonest causes come first, of equals by name; what was never asked is none', () => {
  const top = (byProblem: Record<string, number>) =>
    found('failures', counts({ ok: 900, failed: 100, byProblem }))!.evidence['topProblem'];
  expect(top({ reset: 40, 'http-5xx': 41, 'connect-refused': 19 })).toBe('http-5xx');
  expect(top({ reset: 40, 'http-5xx': 40 })).toBe('http-5xx');
  expect(top({ 'http-5xx': 40, reset: 40 })).toBe('http-5xx');
  expect(top({ 'not-sent': 900, cancelled: 800, 'dropped-late': 700, reset: 1 })).toBe('reset');
  expect(top({})).toBeNull();
});

describe('what helps', () => {
  const advice = (code: string, changes: Partial<Summary>) => found(code, changes)!.advice;
  test('a full core wants threads, a busy host its own, a pause for garbage less in memory; else all of it', () => {
    const late = { loopDelayP99Ms: 30 };
    const parts = (health: Partial<ClientHealth>) =>
      ['--threads 2', 'Its threads waited', '--no-text', 'Use more client threads'].filter((words) =>
        advice('client-bound', client(health)).includes(words),
      );
    expect([
      parts({ cpuRatio: 0.9 }),
      parts({ cpuRatio: 0.9, cpuWaitRatio: 0.1 }),
      parts({ cpuRatio: 0.9, cpuWaitRatio: 0.09 }),
      parts({ ...late, gc: { pauses: 1, totalMs: 20, maxMs: 20 } }),
      parts({ ...late, gc: { pauses: 1, totalMs: 19, maxMs: 19 } }),
      parts({ cpuRatio: 0.9, gc: { pauses: 1, totalMs: 20, maxMs: 20 } }),
    ]).toEqual([
      ['--threads 2'],
      ['--threads 2', 'Its threads waited'],
      ['--threads 2'],
      ['--no-text'],
      ['Use more client threads'],
      ['--threads 2'],
    ]);
  });
  test('a client out of handles is told of handles, one out of ports of ports, one that only failed of both', () => {
    const room = { fileHandlesLeft: 50, fileHandlesLimit: 100, portsLeft: 50, portsLimit: 100 };
    const words = (changes: Partial<Summary>) => {
      const en = advice('client-room', changes);
      const zh = found('client-room', changes)!.zh!.advice;
      return ['ulimit', 'ip_local_port_range'].map((word) => en.includes(word) && zh.includes(word));
    };
    expect([
      words(client({ ...room, fileHandlesLeft: 5 })),
      words(client({ ...room, portsLeft: 5 })),
      words(client({ ...room, fileHandlesLeft: 5, portsLeft: 5 })),
      words({ ...client(room), ...of1000('client-resources', 1) }),
    ]).toEqual([
      [true, false],
      [false, true],
      [true, true],
      [true, true],
    ]);
  });
  test('fewer requests than slots want more requests, as many do not', () => {
    const reached = (planned: number) =>
      advice('concurrency-not-reached', {
        steady: { concurrencyAchieved: 5 } as Summary['steady'],
        ...counts({ planned }),
      });
    expect([reached(9), reached(10)]).toEqual([
      expect.stringContaining('ten times as many'),
      expect.stringContaining('failures and client health'),
    ]);
  });
});

describe('a stuck request of another tool: when the true rates follow from its tokens', () => {
  /** 500 tokens a second are 200 s for 1,000 answers of 100; the clock ran on to 320 s. */
  const repaired = (changes: Partial<Summary>, more: Partial<Summary['counts']> = {}) =>
    auditPoints([
      samplePoint({
        ...by('vllm'),
        durationMs: 320_000,
        requestsPerSec: 3.125,
        ...counts({ planned: 1000, ok: 1000, failed: 1, ...more }),
        ...changes,
      }),
    ]).points[0]!.repaired;
  const right = { requestsPerSec: 5, outputTokensPerSec: 500, durationMs: 200_000 };
  test('few failures: one, or one in two hundred', () => {
    expect(repaired({}, { failed: 5 })).toEqual(right);
    expect(repaired({}, { failed: 6 })).toBeNull();
    expect(repaired({}, { failed: 1, planned: 100 })).toEqual(right);
    expect(repaired({}, { failed: 2, planned: 100 })).toBeNull();
  });
  test('slots that were filled over the true duration, no more than there are and no fewer than start and drain leave', () => {
    const at = (latencyMs: number) => repaired(mean('latencyMs', latencyMs));
    expect([at(2039), at(2045), at(1835), at(1825)]).toEqual([right, null, right, null]);
    expect(repaired(load({ concurrency: null }))).toEqual(right);
  });
});

test('a log that says its totals twice agrees with itself, and each rate is held against each total', () => {
  const printed = { 'totals.outputTokens': '100000', 'totals.inputTokens': '50000', 'outputTokens.mean': '100.0' };
  const figures = { ...by('vllm'), printed, inputTokensPerSec: 250, totalTokensPerSec: 750 };
  const wrong = (changes: Partial<Summary>) => found('figures-disagree', { ...figures, ...changes })?.evidence;
  expect(wrong({})).toBeUndefined();
  expect(wrong({ outputTokensPerSec: 501 })).toEqual({ key: 'outputTokensPerSec', said: 501, other: 500 });
  expect(wrong({ inputTokensPerSec: 251 })).toEqual({ key: 'inputTokensPerSec', said: 251, other: 250 });
  expect(wrong({ totalTokensPerSec: 751 })).toEqual({ key: 'totalTokensPerSec', said: 751, other: 750 });
  expect(wrong({ requestsPerSec: 6 })).toEqual({ key: 'requestsPerSec', said: 6, other: 5 });
  expect(wrong(mean('outputTokens', 101))).toEqual({ key: 'outputTokens.mean', said: 101, other: 100 });
  // Without one of the two totals there is no sum; without a duration, no rate.
  for (const one of ['totals.outputTokens', 'totals.inputTokens'] as const) {
    const { [one]: _, ...rest } = printed;
    expect(wrong({ printed: rest, totalTokensPerSec: 751 })).toBeUndefined();
  }
  expect(wrong({ durationMs: 0, totalTokensPerSec: 751 })).toBeUndefined();
  expect(wrong({ ...by('aiperf'), totalTokensPerSec: 751 })).toBeUndefined();
});

test('the identities of MindIE and of evalscope, to the digit', () => {
  const wrong = (changes: Partial<Summary>) => found('figures-disagree', changes)?.evidence;
  const mindie = {
    lpctMs: 2,
    generateSpeedPerClient: 50,
    'CharactersPerToken.mean': 3,
    'GeneratedCharacters.mean': 300,
  };
  const saying = (server: Record<string, number>) => wrong({ server: { ...mindie, ...server } });
  expect(saying({})).toBeUndefined();
  expect(saying({ lpctMs: 4 })).toMatchObject({ said: 4, other: 2 });
  expect(saying({ generateSpeedPerClient: 60 })).toMatchObject({ said: 60, other: 50 });
  expect(saying({ 'CharactersPerToken.mean': 4 })).toMatchObject({ said: 4, other: 3 });
  expect(wrong({ server: { generateSpeedPerClient: 60 }, ...load({ concurrency: 1 }) })).toMatchObject({ other: 500 });
  const evalscope = (digits: string, changes: Partial<Summary> = {}) =>
    wrong({ ...by('evalscope'), printed: { 'tpotMs.mean': digits, 'counts.planned': '1000' }, ...changes });
  expect(evalscope('0.0020')).toBeUndefined();
  expect(evalscope('0.0022')).toEqual({ key: 'tpotMs.mean', said: 0.0022, other: 0.002 });
  expect(evalscope('0.0000')).toMatchObject({ said: 0 });
  expect(evalscope('0.0000', { printed: { 'tpotMs.mean': '0.0000' } })).toBeUndefined();
  expect(evalscope('0.0022', mean('tpotMs', 2.2))).toBeUndefined();
  expect(evalscope('0.0022', by('vllm'))).toBeUndefined();
  expect(evalscope('0.0022', { outputTokensPerSec: 0 })).toBeUndefined();
});

test('an identity is broken beyond half of the last printed digit, or beyond the noise of floating point', () => {
  const rate = (requestsPerSec: number, more: Partial<Summary> = {}) =>
    found('rate-identity', { requestsPerSec, ...more });
  expect([rate(5 + 2e-9), rate(5 + 2e-8) !== undefined]).toEqual([undefined, true]);
  // 1,001 in 200 s are 5.005 a second, which is printed as 5.00 or as 5.01.
  const ok = counts({ planned: 1001, ok: 1001 });
  const printing = (digits: string) =>
    rate(Number(digits), { ...ok, printed: { requestsPerSec: digits } }) !== undefined;
  expect(['4.99', '5.00', '5.01', '5.02'].map(printing)).toEqual([true, false, false, true]);
  expect(rate(0, counts({ ok: 0 }))).toBeUndefined();
});
