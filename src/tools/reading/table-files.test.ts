import { describe, expect, test } from 'vitest';
import { importCsv, importJson, joinFiles } from '../index.ts';

describe("somebody's own sweep as a file", () => {
  const rows = [
    [
      'Concurrency',
      'Requests',
      'Success',
      'Failed',
      'Throughput (tok/s)',
      'Avg latency (s)',
      'P90 latency (ms)',
      'Avg output tokens',
    ],
    ['4', '400', '400', '0', '280.5', '2.84', '3900', '200'],
    ['8', '400', '397', '3', '530', '3.0', '-', '200'],
  ];
  const points = [
    {
      load: { kind: 'closed', concurrency: 4 },
      counts: { planned: 400, ok: 400, failed: 0 },
      outputTokensPerSec: 280.5,
      latencyMs: { mean: 2840, p90: 3900 },
      outputTokens: { mean: 200 },
    },
    { load: { concurrency: 8 }, counts: { ok: 397, failed: 3 }, latencyMs: { mean: 3000, p90: null } },
  ];

  test('as CSV: the words of a markdown table', () => {
    const text = rows.map((cells) => cells.join(',')).join('\n');
    const { sweeps, problems } = joinFiles([importCsv(text, 'sweep.csv')]);
    expect(problems).toEqual([]);
    expect(sweeps[0]!.points).toMatchObject(points);
  });

  test('as a JSON list, names with underscores and units', () => {
    const list = [
      { avg_output_tokens: 200, concurrency: 4, mean_latency_ms: 2840, p90_latency_ms: 3900, output_throughput: 280.5 },
      { avg_output_tokens: 200, concurrency: 8, mean_latency_ms: 3000, p90_latency_ms: null, output_throughput: 530 },
    ];
    const { sweeps } = joinFiles([importJson(JSON.stringify(list), 'sweep.json')]);
    const found = sweeps[0]!.points;
    expect(found.map((point) => point.load.concurrency)).toEqual([4, 8]);
    expect(found[0]).toMatchObject({ outputTokensPerSec: 280.5, latencyMs: { mean: 2840, p90: 3900 } });
    expect(found[1]!.latencyMs).toMatchObject({ mean: 3000, p90: null });
  });

  test('what only some points of a JSON list tell is not lost', () => {
    const list = [
      { concurrency: 4, latency: 2 },
      { concurrency: 8, latency: 3, ttft: 0.5 },
    ];
    const { sweeps } = joinFiles([importJson(JSON.stringify(list), 'sweep.json')]);
    expect(sweeps[0]!.points.map((point) => point.ttftMs?.mean ?? null)).toEqual([null, 500]);
  });

  test('a table that is cut says so', () => {
    const body = Array.from({ length: 5001 }, (_, i) => `${i + 1},1`).join('\n');
    const { sweeps, problems } = joinFiles([importCsv(`concurrency,latency\n${body}`, 'long.csv')]);
    expect(sweeps[0]!.points).toHaveLength(5000);
    expect(problems.map(({ message }) => message)).toEqual(['more than 5000 rows: the rest is left out']);
  });

  test('rates are an open loop; a table without a load is of no kind', () => {
    const open = joinFiles([importCsv('rate,throughput,latency\n1,200,2.8\n2,390,3.1', 'rates.csv')]);
    expect(open.sweeps[0]!.points.map((point) => point.load.kind)).toEqual(['open', 'open']);
    const other = importCsv('name,age\nann,3', 'people.csv');
    expect(other.drafts).toEqual([]);
    expect(other.problems[0]!.message).toContain('no kind');
  });
});
