/** Results that have something to say in every place of a report. Made up by hand; nothing here is a measurement. */
import { auditedComparison } from '../src/results/audit/index.ts';
import type { ClientHealth, Finding, Summary, Sweep } from '../src/core/index.ts';
import type { Comparison, TrendCurve } from '../src/results/measure/index.ts';
import type { FindResult } from '../src/results/report/index.ts';
import { madePoint, madeSweep } from './laws/chart-matrix.ts';
import { samplePoint } from './sample-point.ts';

function finding(code: string, severity: Finding['severity']): Finding {
  return {
    code,
    severity,
    message: `Of ${code} there is something to say. And why it is so, in a second sentence that takes its room.`,
    evidence: { ratio: 0.25 },
    advice: `Do what helps against ${code}. Then look again.`,
    zh: { message: `关于 ${code} 的说明。以及原因，第二句话也占一些位置。`, advice: `处理 ${code}。然后再看。` },
  };
}

const health: ClientHealth = {
  loopDelayP50Ms: 0.25,
  loopDelayP99Ms: 2.25,
  loopDelayMaxMs: 31,
  cpuRatio: 0.375,
  threads: 2,
  connectionsOpened: 12,
  connectionsReused: 988,
  rssMaxBytes: 123_456_789,
  cpuPerThread: [0.25, 0.5],
  cpuWaitRatio: 0.125,
  stolenRatio: 0.0625,
  pollRatio: 0.5,
  napRatio: 0.25,
  gc: { pauses: 7, totalMs: 45, maxMs: 11 },
  connecting: { count: 12, meanMs: 1.5, maxMs: 4.5, tlsMeanMs: 0.75, tlsMaxMs: 2.5 },
  sendBacklogMaxBytes: 3 * 1024 * 1024,
  socketBuffersMaxBytes: 1536 * 1024,
  fileHandlesLeft: 900,
  fileHandlesLimit: 1024,
  portsLeft: 20_000,
  portsLimit: 28_232,
  serverClockSkewMs: 1500,
};

/** A run of which everything is known. */
export const full: Summary = (() => {
  const made = samplePoint({ ...madePoint(64, 1, true), simulated: false });
  return {
    ...made,
    runId: '2026-11-15-full',
    label: 'night 夜间',
    model: 'qwen2.5-7b',
    asked: { card: 'h200', cards: 2 },
    startedAt: '2026-11-15T04:23:12.000Z',
    inputTokensPerSec: 2100,
    totalTokensPerSec: made.outputTokensPerSec! + 2100,
    concurrencyAchieved: 61.5,
    counts: {
      planned: 1000,
      issued: 990,
      ok: 960,
      failed: 25,
      cancelled: 5,
      dropped: 10,
      unaccounted: 0,
      byProblem: { reset: 5, 'timeout-total': 20 },
    },
    latencyMs: { ...made.latencyMs!, shape: [1, 9, 40, 22, 8, 4, 0, 2, 1, 1] },
    latencyFromDueMs: made.latencyMs,
    ttftFromDueMs: made.ttftMs,
    latenessMs: { ...made.ttftMs!, mean: 0.5, p50: 0.25, p99: 3.5, max: 9 },
    timeToAnswerMs: made.ttftMs,
    cachedInputRatio: 0.25,
    eligibleInputRatio: 0.5,
    inputCharsPerSec: null,
    outputCharsPerSec: null,
    slo: [
      { promise: 'ttft.p99<500ms', measured: 822, kept: false },
      { promise: 'latency<60s', measured: 41_000, kept: true },
      { promise: 'goodput>=95%', measured: null, kept: null },
    ],
    accuracy: { correct: 3, of: 8, ratio: 0.375 },
    steady: null,
    retries: { requests: 3, attempts: 5, askedToWait: 2, longestWaitMs: 7000 },
    resumed: [{ at: '2026-11-15T05:00:00.000Z', atMs: 30_000, gapMs: 90_000, monotonicOriginNs: null }],
    percentileMethod: 'linear',
    tokenSource: { input: 'server', output: 'mixed' },
    printed: {},
    server: {
      scrapes: 40,
      story: 'KV full from 41 s, 37 preemptions',
      zh: { story: '41 秒起 KV 已满，37 次抢占' },
      running: { mean: 63, max: 64 },
      waiting: { mean: 5, max: 9 },
      prediction: {
        intervals: { outputTokensPerSec: [1500, 1700], 'ttftMs.mean': [300, 350.5], 'ttftMs.p99': null },
        warnings: [
          { en: 'few points', zh: '点太少' },
          { en: 'far away', zh: '距离较远' },
        ],
      },
    },
    devices: {
      tokensPerJoule: 2.345,
      devices: [
        {
          vendor: 'nvidia',
          index: 1,
          utilizationRatio: { mean: 0.876, max: 0.99 },
          powerW: { mean: 512.5, max: 700 },
          temperatureC: { mean: 60, max: 71 },
          memoryMarginBytes: 3.5 * 1024 ** 3,
        },
        { vendor: 'ascend' },
      ],
      missing: [{ why: 'no counter', zh: { why: '没有计数器' } }],
    },
    client: health,
    verdict: {
      valid: true,
      findings: [finding('kv-bound', 'warn'), finding('short-run', 'warn'), finding('cold-start', 'info')],
    },
  } as Summary;
})();

const unknowns = ['latencyMs', 'ttftMs', 'tpotMs', 'itlMs', 'userTokensPerSec', 'inputTokens', 'outputTokens'] as const;

/** One that failed from its beginning, and of which next to nothing is known. */
export const bare: Summary = {
  ...full,
  ...Object.fromEntries(unknowns.map((key) => [key, null])),
  runId: 'bare',
  label: null,
  model: null,
  partial: true,
  simulated: true,
  load: { kind: 'open', concurrency: null, ratePerSec: 2.5, stream: null },
  counts: { ...full.counts, ok: 0, failed: 960, byProblem: { reset: 960 } },
  requestsPerSec: null,
  inputTokensPerSec: null,
  outputTokensPerSec: null,
  totalTokensPerSec: null,
  concurrencyAchieved: null,
  cachedInputRatio: null,
  goodput: null,
  slo: [],
  server: null,
  devices: null,
  client: null,
  verdict: { valid: false, findings: [finding('server-gone', 'invalid')] },
};
delete (bare as { retries?: unknown }).retries;

/** The same with a part that is steady, in which a little more came out. */
export const steady: Summary = {
  ...full,
  steady: {
    ...full,
    fromMs: 20_000,
    toMs: 95_000,
    outputTokensPerSec: full.outputTokensPerSec! * 1.1,
    ttftMs: { ...full.ttftMs!, p50: 222 },
  },
  verdict: { valid: true, findings: [] },
};

const promised = (points: readonly Summary[]): Summary[] =>
  points.map((point) => ({
    ...samplePoint(point),
    simulated: false,
    slo: [{ promise: 'ttft.p99<500ms', measured: point.ttftMs!.p99!, kept: point.ttftMs!.p99! < 500 }],
  }));

/** Ladders of loads: one of a promise that breaks, one of more points than a screen shows. */
export const ladder: Sweep = { ...madeSweep(1, 6), title: 'ladder 阶梯', points: promised(madeSweep(1, 6).points) };
export const long: Sweep = { ...madeSweep(0, 40), points: madeSweep(0, 40).points.map(samplePoint) };

export const found: FindResult = {
  kind: 'concurrency',
  value: 25,
  confirmed: true,
  breaksAt: 33,
  outOfRuns: false,
  limit: 'batch',
  slo: ladder.points[2]!.slo!,
  durationMs: 245_000,
  probes: [
    { value: 9, kept: true, fresh: false, summary: ladder.points[0]! },
    { value: 25, kept: true, fresh: false, summary: ladder.points[2]! },
    { value: 33, kept: false, fresh: false, summary: ladder.points[3]! },
    { value: 25, kept: true, fresh: true, summary: ladder.points[2]! },
  ],
};

function sideOf(name: string, points: readonly Summary[]) {
  const each = points.map((summary) => ({ id: `${name}-${summary.runId}`, name, summary, plan: null, slices: null }));
  return { id: name, name, points: each };
}

const other = (by: number): Summary => ({
  ...full,
  runId: 'other',
  outputTokensPerSec: full.outputTokensPerSec! * by,
  ttftMs: { ...full.ttftMs!, p99: full.ttftMs!.p99! / by },
});

const interval = (comparison: Comparison): Comparison => ({
  ...comparison,
  metrics: comparison.metrics.map((row, i) => ({
    ...row,
    changes: row.changes.map((change) => ({
      ...change,
      interval: change.changeRatio === null ? null : [change.changeRatio - 0.04, change.changeRatio + 0.05],
      significant: change.changeRatio !== 0 && i % 8 !== 5,
    })),
  })),
  gates: [
    { text: 'ttft.p99<+5%', state: 'failed', measured: 0.084, needs: null, load: null, failed: true },
    { text: 'outputTokensPerSec>-5%', state: 'unsure', measured: -0.01, needs: 4321, load: 64, failed: false },
    { text: 'failed<1%', state: 'passed', measured: 0.001, needs: null, load: null, failed: false },
  ] as unknown as Comparison['gates'],
});

/** Two runs, three runs, and two ladders. */
export const comparisons: Readonly<Record<string, Comparison>> = {
  pair: interval(auditedComparison([sideOf('a', [full]), sideOf('b', [other(1.2)])], [])),
  three: interval(auditedComparison([sideOf('a', [full]), sideOf('b', [other(1.2)]), sideOf('c', [other(0.9)])], [])),
  ladders: interval(
    auditedComparison([sideOf('vllm 一', ladder.points), sideOf('mindie', promised(madeSweep(4, 6).points))], []),
  ),
};

/** Nights of which the fifth became slower, and one whose figure nobody has. */
export const nights: TrendCurve = {
  name: 'concurrency 64',
  points: [301, 305, 298, null, 388, 391, 384].map((value, i) => ({
    runId: `night-${i + 1}`,
    label: null,
    startedAt: `2026-11-0${i + 1}T03:00:00.000Z`,
    value,
    interval: null,
    level: value === null ? null : i < 4 ? 301 : 388,
    valid: value !== null,
  })),
  changes: [{ at: 4, runId: 'night-5', changeRatio: 0.289, interval: [0.25, 0.33], before: 3, after: 3 }],
};
