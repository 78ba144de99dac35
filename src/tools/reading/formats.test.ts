import { describe, expect, test } from 'vitest';
import { importCsv, importJson, joinFiles, lineImporter } from '../index.ts';
import type { FormatName, Imported } from '../index.ts';

function read(text: string, format: FormatName = 'auto'): Imported {
  const importer = lineImporter('log.txt', format);
  for (const line of text.split('\n')) importer.line(line);
  return importer.end();
}
const pointOf = (text: string): Imported['sweeps'][0]['points'][0] => read(text).sweeps[0]!.points[0]!;

/** Lines as the tool prints them: label in 40 columns, value left-justified in 10. */
function serving(lines: [string, string][], width = 50): string {
  const title = ' Serving Benchmark Result ';
  const bar = '='.repeat((width - title.length) / 2);
  return [
    bar + title + bar,
    ...lines.map(([label, value]) => `${label.padEnd(40)} ${value.padEnd(10)}`),
    '='.repeat(width),
  ].join('\n');
}

describe('vLLM serving blocks of every age', () => {
  test('2023: no header', () => {
    const point = pointOf(
      'Total time: 842.46 s\nThroughput: 1.19 requests/s\nAverage latency: 429.69 s\nAverage latency per token: 1.67 s\nAverage latency per output token: 8.67 s\nCompletion tokens per second: 259.7170681239465 tokens/s',
    );
    expect(point).toMatchObject({
      durationMs: 842460,
      requestsPerSec: 1.19,
      outputTokensPerSec: 259.7170681239465,
      latencyMs: { mean: 429690 },
      counts: { planned: null, ok: null },
    });
    expect(point.printed['outputTokensPerSec']).toBe('259.7170681239465');
  });
  test('v0.4: input token throughput instead of the total', () => {
    const point = pointOf(
      serving([
        ['Successful requests:', '100'],
        ['Benchmark duration (s):', '50.00'],
        ['Total input tokens:', '2000'],
        ['Total generated tokens:', '4000'],
        ['Request throughput (req/s):', '2.00'],
        ['Input token throughput (tok/s):', '40.00'],
        ['Output token throughput (tok/s):', '80.00'],
        ['Mean TTFT (ms):', '12.50'],
      ]),
    );
    expect(point).toMatchObject({
      inputTokensPerSec: 40,
      outputTokensPerSec: 80,
      totalTokensPerSec: null,
      counts: { ok: 100, failed: null, planned: null },
      inputTokens: { mean: 20 },
      outputTokens: { mean: 40 },
    });
  });
  test('v0.11 and later: failures, cap, configured rate, peak lines, end-to-end latency', () => {
    const point = pointOf(
      serving([
        ['Successful requests:', '96'],
        ['Failed requests:', '4'],
        ['Maximum request concurrency:', '16'],
        ['Request rate configured (RPS):', '5.00'],
        ['Benchmark duration (s):', '20.00'],
        ['Total input tokens:', '960'],
        ['Total generated tokens:', '9600'],
        ['Request throughput (req/s):', '4.80'],
        ['Request goodput (req/s):', '4.10'],
        ['Output token throughput (tok/s):', '480.00'],
        ['Peak output token throughput (tok/s):', '900.00'],
        ['Peak concurrent requests:', '18.00'],
        ['Total token throughput (tok/s):', '528.00'],
        ['P99.9 TTFT (ms):', '99.00'],
        ['Median E2EL (ms):', '1500.00'],
        ['P95 E2EL (ms):', '2500.00'],
        ['Std ITL (ms):', '3.00'],
      ]),
    );
    expect(point.load).toEqual({ kind: 'open', concurrency: 16, ratePerSec: 5, stream: true });
    expect(point.counts).toMatchObject({ ok: 96, failed: 4, planned: 100, unaccounted: 0 });
    expect(point).toMatchObject({
      goodput: { requestsPerSec: 4.1 },
      latencyMs: { p50: 1500, p95: 2500, mean: null },
      ttftMs: null,
      itlMs: null,
      server: { peakConcurrentRequests: 18 },
    });
  });
  test('the Rust client: 60 columns wide, settings printed before the block', () => {
    const text = `Traffic request rate: inf\nMaximum request concurrency: 32\n100%|####| 64/64\n${serving(
      [
        ['Successful requests:', '64'],
        ['Benchmark duration (s):', '8.00'],
        ['Request throughput (req/s):', '8.00'],
        ['Output token throughput (tok/s):', '800.00'],
      ],
      60,
    )}`;
    expect(pointOf(text).load).toEqual({ kind: 'closed', concurrency: 32, ratePerSec: null, stream: true });
  });
  test('several blocks in one log are several points', () => {
    const block = serving([
      ['Successful requests:', '10'],
      ['Benchmark duration (s):', '5.00'],
      ['Request throughput (req/s):', '2.00'],
      ['Output token throughput (tok/s):', '20.00'],
    ]);
    expect(read(`${block}\nnoise\n${block}\n\n${block}`).sweeps.map((sweep) => sweep.points.length)).toEqual([3]);
  });
});

describe('vLLM and SGLang JSON', () => {
  test('--save-result, and append mode with two objects on two lines', () => {
    const object = {
      date: '20250220',
      backend: 'vllm',
      model_id: 'm',
      num_prompts: 100,
      request_rate: 'inf',
      max_concurrency: 8,
      duration: 10.5,
      completed: 99,
      failed: 1,
      total_input_tokens: 990,
      total_output_tokens: 9900,
      request_throughput: 9.428571,
      'request_goodput:': null,
      output_throughput: 942.857,
      total_token_throughput: 1037.1,
      mean_ttft_ms: 20.5,
      median_ttft_ms: 19,
      p99_ttft_ms: 55.25,
      mean_tpot_ms: 7,
    };
    const { sweeps } = joinFiles([
      importJson(`${JSON.stringify(object)}\n${JSON.stringify({ ...object, max_concurrency: 16 })}`, 'r.json'),
    ]);
    expect(sweeps[0]!.points.map((point) => point.load.concurrency)).toEqual([8, 16]);
    expect(sweeps[0]!.points[0]).toMatchObject({
      model: 'm',
      counts: { planned: 100, ok: 99, failed: 1, unaccounted: 0 },
      load: { kind: 'closed', ratePerSec: null },
      ttftMs: { mean: 20.5, p50: 19, p99: 55.25 },
    });
  });
  test('the pytorch form: one record per metric', () => {
    const record = (name: string, value: number): object => ({
      benchmark: { name: 'vLLM benchmark', extra_info: { args: { num_prompts: 50, max_concurrency: 4 } } },
      model: { name: 'm' },
      metric: { name, benchmark_values: [value], extra_info: {} },
    });
    const { sweeps } = joinFiles([
      importJson(
        JSON.stringify([
          record('completed', 50),
          record('duration', 5),
          record('request_throughput', 10),
          record('mean_itl_ms', 8.25),
        ]),
        'r.pytorch.json',
      ),
    ]);
    expect(sweeps[0]!.points[0]).toMatchObject({
      requestsPerSec: 10,
      itlMs: { mean: 8.25 },
      counts: { planned: 50, ok: 50 },
      load: { concurrency: 4 },
    });
  });
  test('SGLang writes a bare Infinity', () => {
    const { sweeps } = joinFiles([
      importJson(
        '{"backend": "sglang", "request_rate": Infinity, "max_concurrency": 4, "duration": 2.0, "completed": 8, "request_throughput": 4.0, "output_throughput": 40.0, "total_throughput": 80.0, "mean_e2e_latency_ms": 900.0}',
        'o.jsonl',
      ),
    ]);
    expect(sweeps[0]!.points[0]).toMatchObject({
      source: { tool: 'sglang' },
      totalTokensPerSec: 80,
      latencyMs: { mean: 900 },
      load: { ratePerSec: null, concurrency: 4 },
    });
  });
});

describe('evalscope tables of 0.6 to 1.6', () => {
  test('a boxed key/value table and percentiles as rows', () => {
    const text = [
      'Benchmarking summary:',
      '+-----------------------------------+---------+',
      '| Key                               |   Value |',
      '+===================================+=========+',
      '| Time taken for tests (s)          |  12.345 |',
      '+-----------------------------------+---------+',
      '| Number of concurrency             |   4     |',
      '| Total requests                    |  20     |',
      '| Succeed requests                  |  19     |',
      '| Failed requests                   |   1     |',
      '| Output token throughput (tok/s)   |  98.5   |',
      '| Request throughput (req/s)        |   1.539 |',
      '| Average latency (s)               |   2.5   |',
      '| Average time to first token (s)   |   0.25  |',
      '2025-05-16 15:24:49 - evalscope - INFO:',
      'Percentile results:',
      '+------------+----------+---------+',
      '| Percentile | TTFT (s) | Latency (s) |',
      '+------------+----------+---------+',
      '|    50%     |  0.2     |   2.4   |',
      '|    99%     |  0.9     |   4.1   |',
      '+------------+----------+---------+',
    ].join('\n');
    const point = pointOf(text);
    expect(point).toMatchObject({
      durationMs: 12345,
      requestsPerSec: 1.539,
      load: { concurrency: 4, stream: true },
      counts: { planned: 20, ok: 19, failed: 1 },
      ttftMs: { mean: 250, p50: 200, p99: 900 },
      latencyMs: { mean: 2500, p50: 2400, p99: 4100 },
    });
    expect(point.printedLines!['requestsPerSec']).toBe(12);
  });
});

describe('evalscope 1.0 to 1.6: the detailed table, its titles wrapped over two lines', () => {
  test('one point per row', () => {
    const text = [
      '        Detailed Performance Metrics        ',
      '┏━━━━━━┳━━━━━━┳━━━━━━━━━┳━━━━━━━━━┳━━━━━━━━┳━━━━━━━━━┓',
      '┃      ┃      ┃     Avg ┃     P99 ┃   Gen. ┃ Success ┃',
      '┃Conc. ┃  RPS ┃ Lat.(s) ┃ Lat.(s) ┃ toks/s ┃    Rate ┃',
      '┡━━━━━━╇━━━━━━╇━━━━━━━━━╇━━━━━━━━━╇━━━━━━━━╇━━━━━━━━━┩',
      '│    1 │ 0.52 │   1.909 │   2.100 │  52.01 │  100.0% │',
      '│   10 │ 4.10 │   2.412 │   3.300 │ 410.55 │   99.0% │',
      '└──────┴──────┴─────────┴─────────┴────────┴─────────┘',
    ].join('\n');
    const points = read(text).sweeps[0]!.points;
    expect(
      points.map((point) => [
        point.load.concurrency,
        point.requestsPerSec,
        point.latencyMs!.mean,
        point.latencyMs!.p99,
        point.outputTokensPerSec,
      ]),
    ).toEqual([
      [1, 0.52, 1909, 2100, 52.01],
      [10, 4.1, 2412, 3300, 410.55],
    ]);
  });
});

describe('MindIE and AISBench files', () => {
  test('result_perf and result_common CSV are the two halves of one point', () => {
    const perf =
      'Metric,FirstTokenTime,DecodeTime,GenerateTime,InputTokens,GeneratedTokens\naverage,64.7768 ms,27.0037 ms,12176.1428 ms,59.8964,449.2916\nP99,93.7642 ms,63.7563 ms,14394.8389 ms,128.0,512.0\nN,8792,8792,8792,8792,8792\n';
    const common =
      'CurrentTime,TimeElapsed,Failed,Returned,Total,Concurrency,ModelName,lpct,Throughput,GenerateSpeed,GenerateSpeedPerClient\n2025-03-17 17:32:16,10714.4325 s,0( 0.0% ),8792( 100.0% ),8792[ 100.0% ],10,QwQ-32B,1.0815 ms,0.8206 req/s,368.6777 token/s,36.8678 token/s\n';
    const { sweeps, problems } = joinFiles([
      importCsv(perf, 'out/result_perf_20250317.csv'),
      importCsv(common, 'out/result_common_20250317.csv'),
    ]);
    expect(problems).toEqual([]);
    expect(sweeps.map((sweep) => sweep.points.length)).toEqual([1]);
    expect(sweeps[0]!.points[0]).toMatchObject({
      model: 'QwQ-32B',
      durationMs: 10714432.5,
      requestsPerSec: 0.8206,
      outputTokensPerSec: 368.6777,
      counts: { planned: 8792, ok: 8792, failed: 0 },
      load: { concurrency: 10 },
      ttftMs: { mean: 64.7768, p99: 93.7642 },
      latencyMs: { mean: 12176.1428 },
    });
  });
  test('results_per_request: statistics computed from the requests', () => {
    const request = (latency: number, gaps: number[]): object => ({
      input_len: 10,
      output_len: gaps.length + 1,
      req_latency: latency,
      latency: [50, ...gaps],
      queue_latency: [1],
    });
    const { sweeps } = joinFiles([
      importJson(JSON.stringify({ 0: request(110, [20, 40]), 1: request(150, [100]) }), 'results_per_request_1.json'),
    ]);
    expect(sweeps[0]!.points[0]).toMatchObject({
      counts: { ok: 2 },
      ttftMs: { mean: 50 },
      latencyMs: { mean: 130, max: 150 },
      itlMs: { mean: 160 / 3, max: 100, n: 2 },
      outputTokens: { mean: 2.5 },
    });
  });
  test('AISBench: table and common figures, achieved beside asked concurrency', () => {
    const csv =
      'Performance Parameters,Stage,Average,Min,Max,Median,P75,P90,P99,N\nE2EL,total,2048.2945 ms,1729.7498 ms,3450.96 ms,2491.8789 ms,2750.85 ms,3184.9186 ms,3424.4354 ms,8\nTTFT,total,50.332 ms,50.6244 ms,52.0585 ms,50.3237 ms,50.5872 ms,50.7566 ms,50.0551 ms,8\n';
    const json = {
      'Benchmark Duration': { total: '40152.6953 ms' },
      'Total Requests': { total: 32 },
      'Failed Requests': { total: 0 },
      'Success Requests': { total: 32 },
      Concurrency: { total: 31.8314 },
      'Max Concurrency': { total: 32 },
      'Request Throughput': { total: '0.797 req/s' },
      'Total generated tokens': { total: 131072 },
      'Output Token Throughput': { total: '3264.3387 token/s' },
    };
    const { sweeps, problems } = joinFiles([
      importCsv(csv, 'p/gsm8k.csv'),
      importJson(JSON.stringify(json), 'p/gsm8k.json'),
    ]);
    expect(problems).toEqual([]);
    expect(sweeps[0]!.points[0]).toMatchObject({
      source: { tool: 'aisbench' },
      durationMs: 40152.6953,
      requestsPerSec: 0.797,
      concurrencyAchieved: 31.8314,
      load: { concurrency: 32 },
      counts: { planned: 32, ok: 32 },
      latencyMs: { mean: 2048.2945, p50: 2491.8789, p99: 3424.4354 },
    });
  });
  test('AISBench details: time points in seconds on one clock', () => {
    const line = { success: true, input_tokens: 5, output_tokens: 3, time_points: [100, 100.05, 100.06, 100.08] };
    const { sweeps } = joinFiles([
      importJson(
        `${JSON.stringify(line)}\n${JSON.stringify({ ...line, success: false, time_points: [] })}`,
        'p/gsm8k_details.jsonl',
      ),
    ]);
    const [point] = sweeps[0]!.points;
    expect(point!.counts).toMatchObject({ ok: 1, failed: 1 });
    expect(point!.ttftMs!.mean).toBeCloseTo(50, 6);
    expect(point!.latencyMs!.mean).toBeCloseTo(80, 6);
    expect(point!.itlMs!.max).toBeCloseTo(20, 6);
  });
});

describe('--format', () => {
  test('only the named tool is looked for', () => {
    const text = `Benchmarking summary: \n Time taken for tests: 10.000 seconds\n Succeed requests: 10\n Average QPS: 1.000\n\n${serving(
      [
        ['Successful requests:', '10'],
        ['Benchmark duration (s):', '5.00'],
        ['Request throughput (req/s):', '2.00'],
        ['Output token throughput (tok/s):', '20.00'],
      ],
    )}`;
    expect(read(text).sweeps[0]!.points.map((point) => point.source.tool)).toEqual(['evalscope', 'vllm']);
    expect(read(text, 'vllm').sweeps[0]!.points.map((point) => point.source.tool)).toEqual(['vllm']);
    expect(read(text, 'evalscope-perf').sweeps[0]!.points.map((point) => point.source.tool)).toEqual(['evalscope']);
  });
});
