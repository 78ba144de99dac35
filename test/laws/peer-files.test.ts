import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { auditPoints } from '../../src/results/audit/index.ts';
import type { Summary } from '../../src/core/index.ts';
import { importCsv, importJson, importSqlite, joinFiles, sniff } from '../../src/tools/index.ts';
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
    expect(sweeps.map((sweep) => [sweep.title, sweep.points.length])).toEqual([['qwen1.5-7b-chat · evalscope', 1]]);
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

describe('SGLang 0.5.23', () => {
  test('every statistic of the JSON line stands in the block, in two decimals', () => {
    const said = JSON.parse(fixture('sglang/result-0.5.jsonl').replace('Infinity', 'null')) as Record<string, number>;
    const { sweeps, problems } = importText(fixture('sglang/console-0.5.log'), 'console.log');
    expect(problems).toEqual([]);
    const [block] = sweeps[0]!.points;
    const [line] = fileOf('sglang/result-0.5.jsonl');
    expect([block!.source.tool, line!.source.tool]).toEqual(['sglang', 'sglang']);
    expect(line!.load).toEqual({ kind: 'closed', concurrency: 3, ratePerSec: null, stream: true });
    expect(block!.load).toEqual(line!.load);
    for (const [word, key] of [
      ['e2e_latency', 'latencyMs'],
      ['ttft', 'ttftMs'],
      ['tpot', 'tpotMs'],
      ['itl', 'itlMs'],
    ] as const) {
      for (const [statistic, ours] of [
        ['mean', 'mean'],
        ['median', 'p50'],
        ['p90', 'p90'],
        ['p95', 'p95'],
        ['p99', 'p99'],
      ] as const) {
        const value = said[`${statistic}_${word}_ms`]!;
        expect(line![key]![ours]).toBe(value);
        expect(block!.printed[`${key}.${ours}`]).toBe(value.toFixed(2));
      }
    }
    expect(line).toMatchObject({
      requestsPerSec: said['request_throughput'],
      inputTokensPerSec: said['input_throughput'],
      outputTokensPerSec: said['output_throughput'],
      totalTokensPerSec: said['total_throughput'],
      concurrencyAchieved: said['concurrency'],
    });
    expect(block!.printed).toMatchObject({ 'itlMs.max': '81.39', totalTokensPerSec: '2162.98' });
    expect(block!.counts).toMatchObject({ planned: 30, ok: 30, failed: null });
  });
});

describe('vLLM 0.32: vllm bench serve', () => {
  const result = (name: string): Record<string, number> => JSON.parse(fixture(`vllm/${name}.json`)) as never;
  const block = (name: string): Summary[] => {
    const { sweeps, problems } = importText(fixture(`vllm/${name}.log`), `${name}.log`);
    expect(problems).toEqual([]);
    return sweeps.flatMap((sweep) => sweep.points);
  };
  const words = { ttft: 'ttftMs', tpot: 'tpotMs', itl: 'itlMs', e2el: 'latencyMs' } as const;

  test.each(['closed', 'open-detailed', 'capped'])('%s: file and console are read to the digit', (name) => {
    const said = result(name);
    const [[json], [text]] = [fileOf(`vllm/${name}.json`), block(name)];
    for (const point of [json!, text!]) {
      expect(point.source.tool).toBe('vllm');
      expect(point.model).toBe('qwen1.5-7b-chat');
      expect(point.counts).toMatchObject({
        planned: said['num_prompts'],
        ok: said['completed'],
        failed: said['failed'],
        unaccounted: 0,
      });
    }
    expect(json!.load).toEqual(text!.load);
    expect(json).toMatchObject({
      requestsPerSec: said['request_throughput'],
      outputTokensPerSec: said['output_throughput'],
      totalTokensPerSec: said['total_token_throughput'],
    });
    expect(text!.printed).toMatchObject({
      durationMs: said['duration']!.toFixed(2),
      requestsPerSec: said['request_throughput']!.toFixed(2),
      outputTokensPerSec: said['output_throughput']!.toFixed(2),
      totalTokensPerSec: said['total_token_throughput']!.toFixed(2),
      'totals.inputTokens': String(said['total_input_tokens']),
      'totals.outputTokens': String(said['total_output_tokens']),
      'server.peakConcurrentRequests': said['max_concurrent_requests']!.toFixed(2),
    });
    for (const [word, key] of Object.entries(words)) {
      for (const [statistic, ours] of [
        ['mean', 'mean'],
        ['median', 'p50'],
        ['p90', 'p90'],
        ['p99', 'p99'],
      ] as const) {
        const value = said[`${statistic}_${word}_ms`];
        if (value === undefined) continue;
        expect(json![key as 'ttftMs']![ours]).toBe(value);
        expect(text!.printed[`${key}.${ours}`]).toBe(value.toFixed(2));
      }
    }
  });
  test('loads: a cap is closed, a rate is open, both together are open with a cap', () => {
    const loads = ['closed', 'open-detailed', 'capped'].map((name) => fileOf(`vllm/${name}.json`)[0]!.load);
    expect(loads.map(({ kind, concurrency, ratePerSec }) => [kind, concurrency, ratePerSec])).toEqual([
      ['closed', 4, null],
      ['open', null, 40],
      ['open', 3, 60],
    ]);
  });
  test('goodput', () => {
    expect(fileOf('vllm/closed.json')[0]!.goodput!.requestsPerSec).toBe(result('closed')['request_goodput']);
    expect(block('closed')[0]!.printed['goodput.requestsPerSec']).toBe('19.66');
    expect(fileOf('vllm/capped.json')[0]!.goodput).toBeNull();
  });
  test('time in the client queue is lateness against the schedule, and the latency with it counts from the due time', () => {
    const said = result('capped');
    const [[json], [text]] = [fileOf('vllm/capped.json'), block('capped')];
    expect(json!.latenessMs).toMatchObject({
      mean: said['mean_client_queue_time_ms'],
      p99: said['p99_client_queue_time_ms'],
    });
    expect(json!.latencyFromDueMs).toMatchObject({
      p50: said['median_e2el_including_client_queue_ms'],
      p90: said['p90_e2el_including_client_queue_ms'],
    });
    expect(text!.printed).toMatchObject({
      'latenessMs.mean': '166.69',
      'latenessMs.p99': '332.99',
      'latencyFromDueMs.mean': '254.13',
      'latencyFromDueMs.p99': '419.28',
    });
    expect(text!.latencyMs!.mean).toBe(87.44);
  });
  test('append mode: one run per line, one point each', () => {
    const points = fileOf('vllm/append.json');
    expect(points.map((point) => [point.load.concurrency, point.counts.ok])).toEqual([
      [2, 12],
      [4, 16],
    ]);
    expect(points.map((point) => point.printedLines!['requestsPerSec'])).toEqual([1, 2]);
    expect(points.map((point) => point.requestsPerSec!.toFixed(2))).toEqual(
      block('append').map((point) => point.printed['requestsPerSec']),
    );
  });
  test('the list of latencies gives what vLLM computed from it, also where it was not asked to', () => {
    const list = (JSON.parse(fixture('vllm/closed.json')) as { latencies: number[] }).latencies;
    const [closed] = fileOf('vllm/closed.json');
    expect(closed!.latencyMs!.max).toBeCloseTo(Math.max(...list) * 1000, 9);
    const stripped = fixture('vllm/closed.json')
      .replaceAll(/"\w+_e2el_ms": [\d.]+,? ?/g, '')
      .replace(/, \}/, '}');
    const [again] = joinFiles([importJson(stripped, 'stripped.json')]).sweeps[0]!.points.slice(0, 1);
    expect(again!.printed['latencyMs.mean']).toBeUndefined();
    for (const statistic of ['mean', 'p50', 'p90', 'p99'] as const)
      expect(again!.latencyMs![statistic]).toBeCloseTo(closed!.latencyMs![statistic]!, 9);
    expect(fileOf('vllm/append.json')[0]!.latencyMs!.max).toBeCloseTo(86.64118500018958, 9);
  });
  test('a detailed file: requests that failed count as failed and are no sample', () => {
    const [point] = fileOf('vllm/open-detailed.json');
    const said = result('open-detailed');
    expect(point!.latencyMs!.min).toBeCloseTo(18.082116, 6);
    expect(point!.inputTokens!.mean).toBe(said['total_input_tokens']! / said['completed']!);
    expect(point!.outputTokens).toMatchObject({ min: 6, max: 6 });
  });
  test('audit finds what is true of these short runs and nothing else', () => {
    const codes = (points: readonly Summary[]): string[] =>
      auditPoints(points).points.map(({ findings }) => findings.map((finding) => finding.code).join(' '));
    for (const read of [(name: string) => fileOf(`vllm/${name}.json`), block]) {
      expect(codes(read('closed'))).toEqual(['too-few-samples']);
      expect(codes(read('open-detailed'))).toEqual(['failures too-few-samples']);
      expect(codes(read('append'))).toEqual(['too-few-samples', 'too-few-samples']);
      // Three in flight at 87 ms each are 34 per second, and 60 were asked for.
      expect(codes(read('capped'))).toEqual(['rate-not-achieved too-few-samples']);
    }
  });
});
