import { expect, test } from 'vitest';
import { exchange, measured } from '../../test/made-exchanges.ts';
import {
  evalscopeFigures,
  importJson,
  joinFiles,
  percentileJson,
  summaryJson,
  vllmBlock,
  vllmFigures,
  vllmJson,
  vllmMetrics,
} from './index.ts';
import type { ImportedSweep } from './index.ts';
import { importText } from '../../test/imported.ts';

// Three that were answered, one of them in one piece and one with two events in a read, one that failed, and one that never left.
const exchanges = [
  exchange(0, 0, [100, 150, 250]),
  exchange(1, 400, [600, 700, 1000], { chunks: { atMs: [600, 700, 1000], tokens: [1, 2, 1], kinds: 'aaa' } }),
  exchange(2, 500, [], { endMs: 1900, outputTokens: { planned: 5, server: 1, client: null } }),
  exchange(3, 900, [1000], { outcome: 'failed', problem: { code: 'reset', status: null, words: null } }),
  exchange(4, 950, [], { outcome: 'failed', sentMs: null, problem: { code: 'dns', status: null, words: null } }),
];
const run = measured(exchanges, 2000);
const how = {
  dialect: 'now',
  date: '20261115-042312',
  backend: 'openai',
  label: 'night',
  model: 'm',
  tokenizer: 't',
  numPrompts: 5,
  burstiness: 1,
  maxConcurrency: 4,
  requestRate: Infinity,
  metadata: [],
  metrics: vllmMetrics,
  percentiles: [50, 90, 99],
  detailed: true,
} as const;
const answers = new Map(exchanges.map(({ seq }) => [seq, 'four'] as const));

function read(document: unknown, name = 'result.json'): ImportedSweep {
  const { sweeps, problems } = joinFiles([importJson(JSON.stringify(document), name)]);
  expect(problems).toEqual([]);
  return sweeps[0]!;
}

test('vLLM’s file of a run is read back as that run, request by request', () => {
  const figures = vllmFigures(run, { ttft: 200, tpot: 400, e2el: 600 });
  const sweep = read(vllmJson(figures, how, exchanges, answers));
  expect(sweep.points[0]).toMatchObject({
    label: 'night',
    model: 'm',
    load: { kind: 'closed', concurrency: 4, ratePerSec: null, stream: true },
    counts: { planned: 5, ok: 3, failed: 2 },
    durationMs: 2000,
    requestsPerSec: 1.5,
    // 3, 3 and 1 token out, 10 in each.
    outputTokensPerSec: 3.5,
    totalTokensPerSec: 18.5,
    // At both limits is within them; the one in one piece took its whole latency to the first.
    goodput: { requestsPerSec: 1 },
    latencyMs: { mean: (250 + 600 + 1400) / 3, p50: 600 },
    ttftMs: { mean: (100 + 200 + 1400) / 3, p50: 200 },
    tpotMs: { mean: (75 + 200) / 2 },
    // 50, 100; 100, 0, 300.
    itlMs: { mean: 110, p50: 100 },
    server: { peakConcurrentRequests: 3, peakOutputTokensPerSec: 6 },
  });
  const [first, second, whole, failed, unsent] = sweep.requests[0]!;
  expect(first).toMatchObject({ sentMs: 0, heardMs: [100, 150, 250], failure: null, tokens: { input: 10, output: 3 } });
  expect(second).toMatchObject({
    sentMs: 400,
    heardMs: [600, 700, 700, 1000],
    endMs: 1000,
    held: { chars: 4, events: 4 },
  });
  expect(whole).toMatchObject({ sentMs: 500, failure: null, tokens: { input: 10, output: 1 } });
  expect(failed).toMatchObject({ sentMs: 900, heardMs: [], endMs: 900, failure: 'reset' });
  expect(unsent).toMatchObject({ sentMs: 950, heardMs: [], failure: 'dns' });
});

test('vLLM’s block says what its file says, in the digits of a block', () => {
  const figures = vllmFigures(run, { ttft: 199, e2el: 600 });
  const [file] = read(vllmJson(figures, how, exchanges, answers)).points;
  const { sweeps, problems } = importText(vllmBlock(figures, how), 'x.log');
  expect(problems).toEqual([]);
  const [block] = sweeps[0]!.points;
  expect(block!.counts).toMatchObject({ ok: 3, failed: 2 });
  expect(block!.goodput!.requestsPerSec).toBe(0.5);
  for (const key of ['requestsPerSec', 'outputTokensPerSec', 'totalTokensPerSec'] as const)
    expect(block![key]).toBeCloseTo(file![key]!, 1.9);
  for (const key of ['latencyMs', 'ttftMs', 'tpotMs', 'itlMs'] as const)
    for (const statistic of ['mean', 'p50', 'p90', 'p99'] as const)
      expect(block![key]![statistic]).toBeCloseTo(file![key]![statistic]!, 1.9);
});

test('of nothing that was answered every tool’s file is still read', () => {
  const none = measured([exchanges[3]!], 100);
  const figures = vllmFigures(none, { ttft: 1 });
  expect(figures.samples.ttft).toEqual([]);
  expect(read(vllmJson(figures, how, none.exchanges, new Map())).points[0]).toMatchObject({
    counts: { ok: 0, failed: 1 },
    requestsPerSec: 0,
    goodput: { requestsPerSec: 0 },
  });
  expect(evalscopeFigures(run)).toMatchObject({ tokensPerSec: 3.5, qps: 1.5, total: 5, failed: 2 });
  expect(evalscopeFigures(none)).toMatchObject({ latencySec: -1, packages: -1, qps: 0, failed: 1, total: 1 });
});

test('evalscope’s two files of a run are read back as one point with the figures of both', () => {
  const { sweeps, problems } = joinFiles([
    importJson(JSON.stringify(summaryJson(run)), 'parallel_2_number_5/benchmark_summary.json'),
    importJson(JSON.stringify(percentileJson(run)), 'parallel_2_number_5/benchmark_percentile.json'),
  ]);
  expect(problems).toEqual([]);
  expect(sweeps.map(({ points }) => points.length)).toEqual([1]);
  const point = sweeps[0]!.points[0]!;
  // From the first send to the last answer's end; what failed does not extend it.
  expect(point.durationMs).toBeCloseTo(1900, 6);
  expect(point.requestsPerSec).toBeCloseTo(3 / 1.9, 4);
  expect(point).toMatchObject({
    load: { kind: 'closed', concurrency: 2, stream: true },
    counts: { planned: 5, ok: 3, failed: 2 },
    latencyMs: { mean: 750, min: 250, p50: 600, p90: 1400, max: 1400 },
    ttftMs: { min: 100, p50: 200, max: 1400 },
    outputTokens: { min: 1, p50: 3, max: 3 },
    inputTokens: { mean: 10 },
    itlMs: { mean: 110, min: 0, p50: 100, max: 300 },
  });
});
