import { describe, expect, test } from 'vitest';
import type { Distribution, Summary } from '../../src/core/index.ts';
import { lineImporter } from '../../src/tools/index.ts';
import { reporters } from '../../src/lab/index.ts';
import { fixture, importText } from '../imported.ts';

// What we print in another tool's dialect is read back by the importer, which was written apart from the reports and is
// tested on real files of those tools.
const dist = (mean: number): Distribution => ({
  mean,
  min: mean / 2,
  max: mean * 3,
  p50: mean * 0.95,
  p66: mean,
  p75: mean * 1.1,
  p80: mean * 1.2,
  p90: mean * 1.5,
  p95: mean * 1.7,
  p98: mean * 1.9,
  p99: mean * 2,
  n: 990,
});

const summary = {
  schema: 'llmdyno.summary/1',
  runId: 'r1',
  label: 'first',
  source: { tool: 'llmdyno', file: null },
  simulated: false,
  partial: false,
  model: 'qwen',
  startedAt: null,
  load: { kind: 'closed', concurrency: 32, ratePerSec: null, stream: true },
  counts: { planned: 1000, issued: 1000, ok: 990, failed: 10, cancelled: 0, dropped: 0, unaccounted: 0, byProblem: {} },
  durationMs: 120_500,
  requestsPerSec: 8.2158,
  inputTokensPerSec: 328.6307,
  outputTokensPerSec: 1643.1535,
  totalTokensPerSec: 1971.7842,
  concurrencyAchieved: 31.2,
  latencyMs: dist(3800),
  ttftMs: dist(120),
  tpotMs: dist(18.5),
  itlMs: dist(18.25),
  inputTokens: dist(40),
  outputTokens: dist(200),
  userTokensPerSec: dist(52.6),
  goodput: null,
  printed: {},
  percentileMethod: 'x',
  verdict: { valid: true, findings: [] },
} as unknown as Summary;

function readBack(as: 'vllm' | 'mindie' | 'aisbench' | 'evalscope'): Summary {
  const importer = lineImporter('x.log', as);
  for (const line of reporters[as](summary, { lang: 'en' }).split('\n')) importer.line(line);
  const { sweeps, problems } = importer.end();
  expect(problems).toEqual([]);
  expect(sweeps.flatMap(({ points }) => points)).toHaveLength(1);
  return sweeps[0]!.points[0]!;
}

describe('a dialect is read back by the importer of that tool', () => {
  test.each(['vllm', 'mindie', 'aisbench', 'evalscope'] as const)('%s: counts, rates and latencies', (as) => {
    const back = readBack(as);
    expect(back.counts).toMatchObject({ ok: 990, failed: 10 });
    expect(back.load.concurrency).toBe(32);
    expect(back.durationMs!).toBeCloseTo(120_500, -1);
    expect(back.requestsPerSec!).toBeCloseTo(8.2158, 1);
    expect(back.outputTokensPerSec!).toBeCloseTo(1643.1535, 1);
    expect(back.latencyMs!.mean!).toBeCloseTo(3800, 0);
    expect(back.latencyMs!.p99!).toBeCloseTo(7600, 0);
    expect(back.ttftMs!.mean!).toBeCloseTo(120, 0);
  });
  test.each(['vllm', 'aisbench'] as const)('%s: time per token and between tokens', (as) => {
    const back = readBack(as);
    expect(back.tpotMs!.mean!).toBeCloseTo(18.5, 2);
    expect(back.itlMs!.p99!).toBeCloseTo(36.5, 2);
  });
  test("vllm's lines are as wide as that tool prints them", () => {
    const lines = reporters.vllm(summary, { lang: 'en' }).split('\n');
    expect(lines).toContain('============ Serving Benchmark Result ============');
    expect(lines).toContain('Successful requests:                     990       ');
    expect(lines).toContain('---------------Time to First Token----------------');
    expect(lines).toContain('Mean TTFT (ms):                          120.00    ');
  });
  test('a simulated or invalid point says so in every dialect', () => {
    const doubtful = { ...summary, simulated: true } as Summary;
    for (const as of ['vllm', 'mindie', 'aisbench', 'evalscope'] as const)
      expect(reporters[as](doubtful, { lang: 'en' })).toMatch(/Note: simulated/);
  });
});

describe("a tool's own block is given back as it was printed", () => {
  const same = (points: readonly Summary[]): unknown[] =>
    points.map((point) => ({
      ...point,
      runId: null,
      label: null,
      printedLines: null,
      source: point.source.tool,
      alsoPrinted: point.alsoPrinted!.filter(({ where }) => where === 'block').map(({ key, digits }) => [key, digits]),
    }));
  const blocks = [
    ['published/vllm-sus-chat-34b.md', 'vllm', 'vllm'],
    ['published/evalscope-mxc500.md', 'vllm', 'vllm'],
    ['published/evalscope-mxc500.md', 'evalscope', 'evalscope'],
    ['published/evalscope-atlas-800i-a2.md', 'evalscope', 'evalscope'],
    ['published/mindie-qwq-32b.md', 'mindie', 'mindie'],
    ['vllm/closed.log', 'vllm', 'vllm'],
    ['vllm/capped.log', 'vllm', 'vllm'],
    ['aisbench/total/console.log', 'aisbench', 'aisbench'],
    ['aisbench/stable/console.log', 'aisbench', 'aisbench'],
    ['evalscope/console.log', 'evalscope', 'evalscope'],
  ] as const;
  test.each(blocks)('%s as %s: every line is one of the file, and reads back to the same point', (file, as, tool) => {
    const text = fixture(file);
    const lines = new Set(text.split('\n').map((line) => line.replaceAll('\r', '')));
    const points = importText(text)
      .sweeps.flatMap((sweep) => sweep.points)
      .filter(({ source }) => source.tool === tool && source.block !== undefined);
    expect(points.length).toBeGreaterThan(0);
    for (const point of points) {
      const shown = reporters[as](point, { lang: 'en' });
      for (const line of shown.split('\n')) if (line !== '') expect(lines).toContain(line);
      const again = importText(shown).sweeps.flatMap((sweep) => sweep.points);
      // What a heading, a table or the document said beside the block is not the block's.
      const alone = importText(point.source.block!).sweeps.flatMap((sweep) => sweep.points);
      expect(same(again)).toEqual(same(alone));
      const own = Object.entries(alone[0]!.printed);
      expect(Object.fromEntries(own.map(([key]) => [key, point.printed[key]]))).toEqual(Object.fromEntries(own));
    }
  });
  test('MindIE: all 17 rows and 13 common ones, in the order of the build that printed them', () => {
    const [sweep] = importText(fixture('published/mindie-qwq-32b.md')).sweeps;
    const shown = reporters.mindie(sweep!.points[0]!, { lang: 'en' });
    const names = shown.split('\n').flatMap((line) => /^\| +(\w+) \|/.exec(line)?.[1] ?? []);
    expect(names.filter((name) => name !== 'Metric')).toHaveLength(17 + 13);
    expect(names.indexOf('LastDecodeTime')).toBe(names.indexOf('DecodeTime') + 1);
  });
  test('the block of 2023 stays that of 2023, in six lines', () => {
    const point = importText(fixture('published/vllm-sus-chat-34b.md'))
      .sweeps.flatMap((sweep) => sweep.points)
      .find(({ source }) => source.tool === 'vllm')!;
    expect(reporters.vllm(point, { lang: 'en' }).trimEnd().split('\n')).toEqual([
      'Total time: 842.46 s',
      'Throughput: 1.19 requests/s',
      'Average latency: 429.69 s',
      'Average latency per token: 1.67 s',
      'Average latency per output token: 8.67 s',
      'Completion tokens per second: 259.7170681239465 tokens/s',
    ]);
  });
  test("another tool's form of the same point is made from its figures", () => {
    const [sweep] = importText(fixture('published/mindie-qwq-32b.md')).sweeps;
    expect(reporters.vllm(sweep!.points[0]!, { lang: 'en' })).toContain('Serving Benchmark Result');
  });
  test('control characters of a foreign block do not reach a terminal', () => {
    const [sweep] = importText(
      'Total time: 2.00 s\nThroughput: 3.00 requests/s\nAverage latency: 1\u0007\u0009 s',
    ).sweeps;
    expect(reporters.vllm(sweep!.points[0]!, { lang: 'en' })).not.toMatch(/(?!\n)\p{Cc}/u);
  });
});
