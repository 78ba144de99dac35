import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { auditPoints } from '../../src/audit/index.ts';
import type { Summary } from '../../src/core/index.ts';
import { importCsv, importJson, importSqlite, joinFiles, sniff } from '../../src/import/index.ts';
import { fixture, fixtures, importText } from '../imported.ts';

function fileOf(name: string): Summary[] {
  const bytes = readFileSync(join(fixtures, name));
  const kind = sniff(bytes, name);
  const read =
    kind === 'sqlite'
      ? importSqlite(bytes, name)
      : kind === 'csv'
        ? importCsv(bytes.toString(), name)
        : importJson(bytes.toString(), name);
  const { sweeps, problems } = joinFiles([read]);
  expect(problems).toEqual([]);
  return sweeps.flatMap((sweep) => sweep.points);
}

const folder = 'evalscope/parallel_3_number_24';

describe('evalscope 1.14: what it wrote is what is imported', () => {
  const said = JSON.parse(fixture(`${folder}/benchmark_summary.json`)) as Record<string, number>;
  const table = JSON.parse(fixture(`${folder}/benchmark_percentile.json`)) as Record<string, number | string>[];
  const row = (name: string): Record<string, number> =>
    table.find((at) => at['Percentiles'] === name) as Record<string, number>;

  test('benchmark_summary.json', () => {
    const [point] = fileOf(`${folder}/benchmark_summary.json`);
    expect(point).toMatchObject({
      load: { kind: 'closed', concurrency: said['Concurrency'], ratePerSec: null, stream: true },
      counts: {
        planned: said['Total Requests'],
        ok: said['Success Requests'],
        failed: said['Failed Requests'],
        unaccounted: 0,
      },
      requestsPerSec: said['Req Throughput (req/s)'],
      outputTokensPerSec: said['Output Throughput (tok/s)'],
      totalTokensPerSec: said['Total Throughput (tok/s)'],
      ttftMs: { mean: said['Avg TTFT (ms)'] },
      tpotMs: { mean: said['Avg TPOT (ms)'] },
      itlMs: { mean: said['Avg ITL (ms)'] },
      inputTokens: { mean: said['Avg Input Tokens'] },
    });
    expect(point!.printed['durationMs']).toBe(String(said['Test Duration (s)']));
    expect(point!.printed['inputTokens.mean']).toBe('26.0');
    expect(point!.durationMs).toBeCloseTo(said['Test Duration (s)']! * 1000, 9);
  });
  test('the four files of a point given together are one point of one sweep', () => {
    const names = ['summary.json', 'percentile.json', 'args.json'].map((name) => `${folder}/benchmark_${name}`);
    const database = importSqlite(
      readFileSync(join(fixtures, folder, 'benchmark_data.db')),
      `${folder}/benchmark_data.db`,
    );
    const { sweeps } = joinFiles([...names.map((name) => importJson(fixture(name), name)), database]);
    expect(sweeps.map((sweep) => [sweep.title, sweep.points.length])).toEqual([['evalscope', 1]]);
    const [point] = sweeps[0]!.points;
    expect(point!.model).toBe('qwen1.5-7b-chat');
    expect(point!.ttftMs).toMatchObject({
      mean: said['Avg TTFT (ms)'],
      p50: row('50%')['TTFT (ms)'],
      p99: row('99%')['TTFT (ms)'],
      max: row('max')['TTFT (ms)'],
    });
    expect(point!.outputTokens).toMatchObject({ min: row('min')['Output tokens'], p90: row('90%')['Output tokens'] });
    expect(auditPoints([point!]).points[0]!.status).toBe('clean');
  });
  test('the SQLite file, read request by request, gives the figures evalscope computed from it', () => {
    const [point] = fileOf(`${folder}/benchmark_data.db`);
    expect(point!.counts).toMatchObject({ ok: said['Success Requests'], failed: said['Failed Requests'] });
    expect(point!.load.concurrency).toBe(3);
    expect(point!.requestsPerSec).toBeCloseTo(said['Req Throughput (req/s)']!, 4);
    expect(point!.outputTokensPerSec).toBeCloseTo(said['Output Throughput (tok/s)']!, 4);
    expect(point!.latencyMs!.mean! / 1000).toBeCloseTo(said['Avg Latency (s)']!, 4);
    expect(point!.ttftMs!.mean).toBeCloseTo(said['Avg TTFT (ms)']!, 2);
    expect(point!.ttftMs!.max).toBeCloseTo(row('max')['TTFT (ms)']!, 4);
    expect(point!.tpotMs!.mean).toBeCloseTo(said['Avg TPOT (ms)']!, 2);
    expect(point!.itlMs!.mean).toBeCloseTo(said['Avg ITL (ms)']!, 2);
    expect(point!.outputTokens!.mean).toBe(said['Avg Output Tokens']);
  });
  test('the console block says the same in fewer digits', () => {
    const { sweeps, problems } = importText(fixture('evalscope/console.log'), 'console.log');
    expect(problems).toEqual([]);
    const [point] = sweeps[0]!.points;
    expect(point!.printed).toMatchObject({
      requestsPerSec: said['Req Throughput (req/s)']!.toFixed(2),
      outputTokensPerSec: said['Output Throughput (tok/s)']!.toFixed(2),
      'ttftMs.mean': '6.35',
    });
    expect(point!.counts).toMatchObject({ planned: 24, ok: 24, failed: 0 });
    expect(point!.ttftMs!.p99).toBeCloseTo(row('99%')['TTFT (ms)']!, 2);
    expect(auditPoints([point!]).points[0]!.status).toBe('clean');
  });
});

describe("evalscope's closing tables", () => {
  test('performance_summary.txt: one point per load, both tables put together', () => {
    const { sweeps, problems } = importText(fixture('evalscope/performance_summary.txt'), 'performance_summary.txt');
    expect(problems).toEqual([]);
    const figures = sweeps[0]!.points.map(({ load, printed }) => [
      load.concurrency,
      printed['requestsPerSec'],
      printed['outputTokensPerSec'],
      printed['latencyMs.mean'],
      printed['ttftMs.p99'],
      printed['tpotMs.max'],
    ]);
    expect(figures).toEqual([
      [4, '35.19', '2249.49', '0.11', '45.63', '1.58'],
      [8, '60.76', '3885.3', '0.119', '84.52', '2.86'],
    ]);
    expect(sweeps[0]!.points.map((point) => point.counts.failed)).toEqual([0, null]);
  });
  test('below a log they are second mentions, not further points', () => {
    const log = fixture('evalscope/console.log');
    const { sweeps } = importText(log, 'console.log');
    expect(log).toContain('Performance Overview');
    expect(sweeps[0]!.points).toHaveLength(1);
    expect(
      (sweeps[0]!.points[0]!.alsoPrinted ?? []).filter((mention) => mention.where === 'table').length,
    ).toBeGreaterThan(5);
  });
});

describe('aiperf 0.13', () => {
  test('JSON', () => {
    const said = JSON.parse(fixture('aiperf/profile_export_aiperf.json')) as Record<string, Record<string, number>>;
    const [point] = fileOf('aiperf/profile_export_aiperf.json');
    expect(point).toMatchObject({
      source: { tool: 'aiperf' },
      model: 'qwen1.5-7b-chat',
      load: { kind: 'closed', concurrency: 4, stream: true },
      counts: { planned: 40, ok: 40, failed: 0, unaccounted: 0 },
      requestsPerSec: said['request_throughput']!['avg'],
      outputTokensPerSec: said['output_token_throughput']!['avg'],
      latencyMs: {
        mean: said['request_latency']!['avg'],
        p50: said['request_latency']!['p50'],
        p99: said['request_latency']!['p99'],
        max: said['request_latency']!['max'],
      },
      ttftMs: { mean: said['time_to_first_token']!['avg'], p95: said['time_to_first_token']!['p95'] },
      tpotMs: { mean: said['inter_token_latency']!['avg'] },
      itlMs: { mean: said['inter_chunk_latency']!['avg'] },
      outputTokens: { mean: 64 },
    });
  });
  test('CSV: the same figures in two decimals', () => {
    const [json] = fileOf('aiperf/profile_export_aiperf.json');
    const [csv] = fileOf('aiperf/profile_export_aiperf.csv');
    expect(csv!.printed['latencyMs.mean']).toBe(json!.latencyMs!.mean!.toFixed(2));
    expect(csv!.printed['ttftMs.p99']).toBe(json!.ttftMs!.p99!.toFixed(2));
    expect(csv!.printed['requestsPerSec']).toBe(json!.requestsPerSec!.toFixed(2));
    expect(csv!.counts).toMatchObject({ planned: 40, ok: 40, failed: 0 });
  });
  test('its rates run on another clock than its duration, which is no contradiction', () => {
    const [point] = fileOf('aiperf/profile_export_aiperf.json');
    const codes = auditPoints([point!]).points[0]!.findings.map((finding) => finding.code);
    expect(codes).not.toContain('figures-disagree');
    expect(codes).not.toContain('throughput-identity');
  });
});

describe('guidellm 0.8', () => {
  test('JSON: one point per benchmark, with errors counted', () => {
    const points = fileOf('guidellm/report.json');
    const said = (
      JSON.parse(fixture('guidellm/report.json')) as {
        benchmarks: {
          metrics: Record<string, { successful: { mean: number; percentiles: Record<string, number> } }>;
          duration: number;
        }[];
      }
    ).benchmarks;
    expect(points.map((point) => point.load.concurrency)).toEqual([2, 4]);
    points.forEach((point, i) => {
      const { metrics, duration } = said[i]!;
      expect(point.counts).toMatchObject({ planned: 40, ok: 38, failed: 2, cancelled: 0, unaccounted: 0 });
      expect(point.durationMs).toBeCloseTo(duration * 1000, 6);
      expect(point.latencyMs!.mean).toBeCloseTo(metrics['request_latency']!.successful.mean * 1000, 9);
      expect(point.latencyMs!.p95).toBeCloseTo(metrics['request_latency']!.successful.percentiles['p95']! * 1000, 9);
      expect(point.ttftMs!.mean).toBe(metrics['time_to_first_token_ms']!.successful.mean);
      expect(point.tpotMs!.p99).toBe(metrics['inter_token_latency_ms']!.successful.percentiles['p99']);
      expect(point.outputTokensPerSec).toBe(metrics['output_tokens_per_second']!.successful.mean);
    });
  });
  test('CSV: the same points', () => {
    const [json, csv] = [fileOf('guidellm/report.json'), fileOf('guidellm/report.csv')];
    expect(csv).toHaveLength(json.length);
    csv.forEach((point, i) => {
      expect(point.load).toEqual({ ...json[i]!.load });
      expect(point.counts).toEqual(json[i]!.counts);
      for (const name of ['latencyMs', 'ttftMs', 'tpotMs', 'inputTokens', 'outputTokens'] as const) {
        for (const statistic of ['mean', 'min', 'p50', 'p75', 'p90', 'p95', 'p99', 'max'] as const)
          expect(point[name]![statistic]).toBe(json[i]![name]![statistic]);
      }
      expect(point.requestsPerSec).toBe(json[i]!.requestsPerSec);
    });
  });
});

describe('SGLang 0.4.6', () => {
  test('the console block and the JSON line of one run agree to the printed digit', () => {
    const [block] = importText(fixture('sglang/console.log'), 'console.log').sweeps[0]!.points;
    const [line] = fileOf('sglang/result.jsonl');
    expect(block!.source.tool).toBe('sglang');
    expect(line!.source.tool).toBe('sglang');
    expect(block!.load).toEqual({ kind: 'closed', concurrency: 4, ratePerSec: null, stream: true });
    expect(block!.printed).toMatchObject({
      requestsPerSec: line!.requestsPerSec!.toFixed(2),
      'latencyMs.mean': line!.latencyMs!.mean!.toFixed(2),
      'ttftMs.p99': line!.ttftMs!.p99!.toFixed(2),
      'itlMs.p95': line!.itlMs!.p95!.toFixed(2),
      concurrencyAchieved: line!.concurrencyAchieved!.toFixed(2),
    });
    expect(block!.counts).toMatchObject({ planned: 40, ok: 40, failed: null });
  });
});
