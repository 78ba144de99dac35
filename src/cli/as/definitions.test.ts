import { describe, expect, test } from 'vitest';
import { exchange, measured } from '../../../test/made-exchanges.ts';
import {
  compressed,
  evalscopeBlock,
  evalscopeFigures,
  evalscopePercentile,
  mindieCells,
  mindieCommon,
  mindieRequests,
  mindieRows,
  overviewTables,
  percentileJson,
  summaryJson,
  vllmBlock,
  vllmFigures,
  vllmJson,
} from '../../tools/index.ts';
import { metricsLine } from './evalscope-perf.ts';
import { block2023 } from './vllm-2023.ts';

// Worked out by hand: two requests of three tokens, the first at 100, 150, 250 ms after its send, the second at 200, 300, 600.
const two = measured([exchange(0, 0, [100, 150, 250]), exchange(1, 400, [600, 700, 1000])], 1000);

describe("evalscope's definitions", () => {
  test('its percentile is the element at ⌊n·p/100⌋, so that of ten the 90th and the 99th are the largest', () => {
    const ten = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    expect([50, 66, 75, 90, 99].map((p) => evalscopePercentile(ten, p))).toEqual([6, 7, 8, 10, 10]);
    expect(evalscopePercentile([1, 2], 50)).toBe(2);
  });

  test('the block of a run worked out by hand', () => {
    const figures = evalscopeFigures(two);
    expect(figures).toMatchObject({
      totalSec: 1,
      succeeded: 2,
      failed: 0,
      qps: 2,
      tokensPerSec: 6,
      inputTokens: 10,
      outputTokens: 3,
    });
    expect(figures.latencySec).toBeCloseTo((0.25 + 0.6) / 2, 9);
    expect(figures.firstTokenSec).toBeCloseTo((0.1 + 0.2) / 2, 9);
    // Wall time over all tokens, not a time per token of anyone.
    expect(figures.secPerToken).toBeCloseTo(1 / 6, 9);
    // First and last package aside: one each, 50 and 100 ms; both are put back into the count.
    expect(figures.packages).toBe(3);
    expect(figures.packageSec).toBeCloseTo((0.05 + 0.1) / 2, 9);
    expect(figures.percentiles).toBeNull();
    expect(evalscopeBlock(figures)).toContain(' Too little data to calculate quantiles!\n');
  });

  test('an answer in one piece: first token and package are the whole latency', () => {
    const whole = [exchange(0, 0, [], { endMs: 500 }), exchange(1, 0, [], { endMs: 1000, outcome: 'failed' })];
    const figures = evalscopeFigures(measured(whole, 1000, false));
    expect(figures).toMatchObject({
      succeeded: 1,
      failed: 1,
      total: 2,
      expected: 2,
      firstTokenSec: 0.5,
      packages: 1,
      packageSec: 0.5,
    });
    expect(metricsLine(figures)).toBe(
      "📌 Metrics: {'Average QPS': 1.0, 'Average latency': 0.5, 'Throughput': 0.0, 'Failed requests': 1.0}",
    );
  });

  test('the labels and their order are those of a published log', () => {
    const nine = Array.from({ length: 9 }, (_, i) => exchange(i, 0, [100 + i, 200 + i]));
    const labels = evalscopeBlock(evalscopeFigures(measured(nine, 1000)))
      .split('\n')
      .map((line) => line.split(':')[0]);
    const ranks = ['p50', 'p66', 'p75', 'p80', 'p90', 'p95', 'p98', 'p99'].map((rank) => `     ${rank}`);
    expect(labels).toEqual([
      'Benchmarking summary',
      ' Time taken for tests',
      ' Expected number of requests',
      ' Number of concurrency',
      ' Total requests',
      ' Succeed requests',
      ' Failed requests',
      ' Average QPS',
      ' Average latency',
      ' Throughput(average output tokens per second)',
      ' Average time to first token',
      ' Average input tokens per request',
      ' Average output tokens per request',
      ' Average time per output token',
      ' Average package per request',
      ' Average package latency',
      ' Percentile of time to first token',
      ...ranks,
      ' Percentile of request latency',
      ...ranks,
      '',
    ]);
  });

  test('the JSON of 1.x: a failure does not extend its window, one token has a TPOT of 0 that stays in', () => {
    const some = [
      exchange(0, 0, [100, 150, 250]),
      exchange(1, 0, [300]),
      exchange(2, 0, [], { endMs: 9000, outcome: 'failed' }),
    ];
    const json = summaryJson(measured(some, 9000));
    expect(json['Test Duration (s)']).toBe(0.3);
    expect(json['Avg TPOT (ms)']).toBe(37.5);
    expect(json['Avg ITL (ms)']).toBe(75);
    expect(json['Failed Requests']).toBe(1);
    const rows = percentileJson(measured(some, 9000));
    expect(rows.map((row) => row['Percentiles'])).toEqual([
      'min',
      '1%',
      '5%',
      '10%',
      '25%',
      '50%',
      '75%',
      '90%',
      '95%',
      '99%',
      'max',
    ]);
    // Nearest rank, as evalscope 1.14.1 has it: of two the median is the smaller.
    expect(rows[5]!['Latency (s)']).toBe(0.25);
    expect(rows[6]!['Latency (s)']).toBe(0.3);
  });
});

test('the closing tables of evalscope 1.x, drawn as that tool draws them', () => {
  const lines = overviewTables([two]).split('\n');
  expect(lines.slice(2, 6)).toEqual([
    '┏━━━━━━┳━━━━━━┳━━━━━┳━━━━━┳━━━━━━━┳━━━━━━━━┓',
    '┃Conc. ┃ Rate ┃ Num ┃ RPS ┃ Gen/s ┃ Success┃',
    '┡━━━━━━╇━━━━━━╇━━━━━╇━━━━━╇━━━━━━━╇━━━━━━━━┩',
    '│    2 │    - │   2 │   2 │     6 │    100%│',
  ]);
  expect(lines.find((line) => line.includes('Latency (s)'))).toMatch(
    /│ Latency \(s\) {3}│ +0\.425 │ +0\.25 │ +0\.6 │ +0\.6│$/,
  );
});

describe("vLLM's definitions", () => {
  test('figures worked out by hand', () => {
    const figures = vllmFigures(two, { ttft: 150, e2el: 500 });
    expect(figures).toMatchObject({
      completed: 2,
      failed: 0,
      inputTokens: 20,
      outputTokens: 6,
      requestsPerSec: 2,
      outputTokensPerSec: 6,
      totalTokensPerSec: 26,
    });
    expect(figures.goodputPerSec).toBe(1);
    expect(figures.samples.ttft).toEqual([100, 200]);
    expect(figures.samples.tpot).toEqual([75, 200]);
    expect(figures.samples.itl).toEqual([50, 100, 100, 300]);
    expect(figures.samples.e2el).toEqual([250, 600]);
  });

  test('peaks count whole seconds, so that two requests one after the other may be two at once', () => {
    const figures = vllmFigures(measured([exchange(0, 0, [100, 900]), exchange(1, 950, [1200])], 1200), null);
    expect(figures.peakConcurrent).toBe(2);
    expect(figures.peakTokensPerSec).toBe(2);
  });

  test('several events in one read are 0 ms apart', () => {
    const read = exchange(0, 0, [100, 200], { chunks: { atMs: [100, 200], tokens: [1, 3], kinds: 'aa' } });
    expect(vllmFigures(measured([read], 200), null).samples.itl).toEqual([0, 0, 100]);
  });

  test('the block of 2025 has the labels, widths and order of a published log', () => {
    const options = {
      maxConcurrency: null,
      requestRate: Infinity,
      metrics: ['ttft', 'tpot', 'itl'],
      percentiles: [99],
    } as const;
    const lines = vllmBlock(vllmFigures(two, null), { ...options, dialect: '2025' }).split('\n');
    expect(lines[0]).toBe('============ Serving Benchmark Result ============');
    expect(lines[1]).toBe('Successful requests:                     2         ');
    expect(lines[2]).toBe('Benchmark duration (s):                  1.00      ');
    expect(lines[7]).toBe('Total Token throughput (tok/s):          26.00     ');
    expect(lines[8]).toBe('---------------Time to First Token----------------');
    expect(lines[11]).toBe('P99 TTFT (ms):                           199.00    ');
    expect(lines[12]).toBe('-----Time per Output Token (excl. 1st token)------');
    expect(lines[16]).toBe('---------------Inter-token Latency----------------');
    expect(lines[20]).toBe('==================================================');
    const now = vllmBlock(vllmFigures(two, {}), {
      ...options,
      dialect: 'now',
      maxConcurrency: 4,
      requestRate: 2,
      metrics: ['e2el'],
      percentiles: [50, 99.9],
    });
    expect(now).toContain(
      'Maximum request concurrency:             4         \nRequest rate configured (RPS):           2.00      \n',
    );
    expect(now).toContain('Request goodput (req/s):                 2.00      \n');
    expect(now).toContain('P99.9 E2EL (ms):                         599.65    \n');
  });

  test('the keys of --save-result', () => {
    const parts = {
      dialect: 'now',
      maxConcurrency: 4,
      requestRate: Infinity,
      metrics: ['ttft'],
      percentiles: [99],
      date: '20260101-000000',
      backend: 'openai',
      label: null,
      model: 'm',
      tokenizer: 't',
      numPrompts: 2,
      metadata: [
        ['gpu', 'x'],
        ['__proto__', 'y'],
      ],
      burstiness: 1,
      detailed: true,
    } as const;
    const json = vllmJson(vllmFigures(two, null), parts, two.exchanges, new Map([[0, 'hi']]));
    expect(Object.keys(json)).toEqual([
      'date',
      'endpoint_type',
      'backend',
      'label',
      'model_id',
      'tokenizer_id',
      'num_prompts',
      'gpu',
      'request_rate',
      'burstiness',
      'max_concurrency',
      'duration',
      'completed',
      'failed',
      'total_input_tokens',
      'total_output_tokens',
      'request_throughput',
      'request_goodput',
      'output_throughput',
      'total_token_throughput',
      'input_lens',
      'output_lens',
      'ttfts',
      'itls',
      'latencies',
      'start_times',
      'queue_times',
      'generated_texts',
      'errors',
      'max_output_tokens_per_s',
      'max_concurrent_requests',
      'rtfx',
      'mean_ttft_ms',
      'median_ttft_ms',
      'std_ttft_ms',
      'p99_ttft_ms',
    ]);
    expect(json).toMatchObject({
      request_rate: 'inf',
      ttfts: [0.1, 0.2],
      generated_texts: ['hi', ''],
      std_ttft_ms: 50,
      request_goodput: null,
    });
    expect(vllmJson(vllmFigures(two, null), { ...parts, dialect: '2025' }, [], new Map())).toHaveProperty(
      ['request_goodput:'],
      null,
    );
  });

  test('the block of 2023: latency over the tokens of the dataset', () => {
    // 250 ms over 13 tokens and 600 ms over 13; over 3 output tokens each.
    expect(block2023(two)).toBe(
      'Total time: 1.00 s\nThroughput: 2.00 requests/s\nAverage latency: 0.42 s\n' +
        'Average latency per token: 0.03 s\nAverage latency per output token: 0.14 s\n' +
        'Completion tokens per second: 6.0 tokens/s\n',
    );
  });
});

describe("MindIE's definitions", () => {
  test('of answers in one piece the times are those that the server tells, the first token first', () => {
    const told = { batchSize: [], queueWaitMs: [], timesMs: [45, 20, 30] };
    const whole = exchange(0, 0, [], {
      endMs: 500,
      serverSteps: told,
      outputTokens: { planned: 3, server: 3, client: null },
    });
    const facts = { inputTokens: 10, tokenizerMs: 1, detokenizerMs: 1 };
    const [request] = mindieRequests([whole], true, () => facts);
    expect([request!.firstTokenMs, request!.decodeMs, request!.generateMs]).toEqual([45, [20, 30], 500]);
    const rows = mindieRows([request!]);
    expect(rows.find(({ name }) => name === 'DecodeTime')!.sloP90).toBe(25);
  });

  const client = { inputTokens: 5, tokenizerMs: 0.5, detokenizerMs: 1 };
  const stepped = two.exchanges.map((each, i) => ({
    ...each,
    serverSteps: { batchSize: [2, 2, 1], queueWaitMs: [i === 0 ? 3 : 0, 0, 0.018] },
  }));
  const requests = mindieRequests(stepped, true, () => client);
  const row = (name: string): string[] =>
    mindieCells(
      mindieRows(requests).find((each) => each.name === name)!,
      2,
    );

  test('X times the value X is one batch', () => {
    expect(compressed([2, 2, 2, 2, 1, 3, 3, 3]).toSorted((a, b) => a - b)).toEqual([1, 2, 2, 3]);
  });

  test('pooled gaps, but SLO_P90 of each request’s own mean', () => {
    expect(row('DecodeTime')).toEqual([
      '137.5 ms',
      '300.0 ms',
      '50.0 ms',
      '150.0 ms',
      '240.0 ms',
      '187.5 ms',
      '294.0 ms',
      '2',
    ]);
    expect(row('FirstTokenTime')[0]).toBe('150.0 ms');
    expect(row('LastDecodeTime').slice(0, 3)).toEqual(['200.0 ms', '300.0 ms', '100.0 ms']);
    expect(row('InputTokens').slice(0, 4)).toEqual(['5.0', '5', '5', '5.0']);
    expect(row('PrefillBatchsize')).toEqual(['2.0', '2', '2', '2.0', '2.0', '2.0', '2.0', '2']);
    // Two requests in a batch of two are one entry; each alone afterwards are two.
    expect(row('DecoderBatchsize').slice(0, 3)).toEqual(['1.3333', '2', '1']);
    expect(row('DecoderBatchsize')[5]).toBe('/');
    expect(row('QueueWaitTime').slice(0, 3)).toEqual(['506.0 μs', '3000 μs', '0 μs']);
    expect(row('QueueWaitTime')[5]).toBe('/ μs');
    expect(row('CharactersPerToken')).toEqual(['4.0', '/', '/', '/', '/', '/', '/', '2']);
    expect(row('ForwardTime')[0]).toBe('0 ms');
  });

  test('the common table: lpct over input tokens, speed per configured client', () => {
    const common = new Map(
      mindieCommon(requests, {
        currentTime: 'now',
        dataSource: '/d',
        planned: 4,
        concurrency: 10,
        model: 'm',
        accuracy: null,
      }),
    );
    expect(common.get('TimeElapsed')).toBe('1.0 s');
    expect(common.get('Failed')).toBe('2( 50.0% )');
    expect(common.get('Returned')).toBe('2( 50.0% )');
    expect(common.get('Total')).toBe('4[ 100.0% ]');
    expect(common.get('lpct')).toBe('30.0 ms');
    expect(common.get('GenerateSpeed')).toBe('6.0 token/s');
    expect(common.get('GenerateSpeedPerClient')).toBe('0.6 token/s');
    expect(common.get('accuracy')).toBe('/');
  });
});
