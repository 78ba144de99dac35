import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exchange, measured } from '../../../test/made-exchanges.ts';
import { importText } from '../../../test/imported.ts';
import { evalscopeBlock, evalscopeFigures, evalscopePercentile } from './block.ts';
import { percentileJson, summaryJson } from './json-files.ts';
import { overviewTables } from './tables.ts';

// Two streams: 3 events over 250 ms from 0, 4 over 800 ms from 200; the window is the run's second.
const two = measured([exchange(0, 0, [100, 150, 250]), exchange(1, 200, [400, 500, 700, 1000])], 1000);
const failed = exchange(2, 0, [50], { outcome: 'failed', problem: { code: 'reset', status: null, words: null } });

test('the figures of the block of 0.5.5, worked out by hand from its definitions', () => {
  expect(evalscopeFigures(two)).toMatchObject({
    totalSec: 1,
    expected: 2,
    concurrency: 2,
    total: 2,
    succeeded: 2,
    failed: 0,
    qps: 2,
    latencySec: 0.525,
    tokensPerSec: 7,
    firstTokenSec: 0.15,
    inputTokens: 10,
    outputTokens: 3.5,
    secPerToken: 1 / 7,
    // One and two packages between the first and the last; 50 ms, and 100 and 200 ms.
    packages: 3.5,
    percentiles: null,
  });
  expect(evalscopeFigures(two).packageSec).toBeCloseTo(0.35 / 3, 12);
  expect(evalscopeFigures(measured([exchange(0, 0, [100, 150, 250]), failed], 1000))).toMatchObject({
    total: 2,
    succeeded: 1,
    failed: 1,
    qps: 1,
  });
});

test('where nothing succeeded, or no time passed, the block says so as that tool does', () => {
  expect(evalscopeFigures(measured([failed], 0))).toEqual({
    totalSec: 0,
    expected: 1,
    concurrency: 2,
    total: 1,
    succeeded: 0,
    failed: 1,
    qps: 0,
    latencySec: -1,
    tokensPerSec: -1,
    firstTokenSec: -1,
    inputTokens: -1,
    outputTokens: -1,
    secPerToken: -1,
    packages: -1,
    packageSec: -1,
    percentiles: null,
  });
  const whole = exchange(0, 0, [], { endMs: 400, outputTokens: { planned: 5, server: 5, client: null } });
  expect(evalscopeFigures(measured([whole], 1000, false))).toMatchObject({
    firstTokenSec: 0.4,
    packages: 1,
    packageSec: 0.4,
  });
});

test('the printed block is read back as what it was printed from, to its last digit', () => {
  const gap = fc.integer({ min: 1, max: 5000 });
  const stream = fc.array(gap, { minLength: 2, maxLength: 6 });
  fc.assert(
    fc.property(
      fc.array(stream, { minLength: 9, maxLength: 14 }),
      fc.integer({ min: 1000, max: 90_000 }),
      (all, ms) => {
        const made = all.map((gaps, seq) => {
          let at = seq;
          return exchange(
            seq,
            seq,
            gaps.map((one) => (at += one)),
          );
        });
        const figures = evalscopeFigures(measured(made, ms));
        const { sweeps, problems } = importText(evalscopeBlock(figures));
        expect(problems).toEqual([]);
        const point = sweeps[0]!.points[0]!;
        const shown = (value: number, decimals: number): number => Number(value.toFixed(decimals));
        expect(point).toMatchObject({
          load: { concurrency: figures.concurrency },
          counts: { planned: figures.expected, ok: figures.succeeded, failed: figures.failed },
          requestsPerSec: shown(figures.qps, 3),
          outputTokensPerSec: shown(figures.tokensPerSec, 3),
          inputTokens: { mean: shown(figures.inputTokens, 3) },
          outputTokens: { mean: shown(figures.outputTokens, 3) },
        });
        expect(point.durationMs).toBeCloseTo(shown(figures.totalSec, 3) * 1000, 6);
        expect(point.latencyMs!.mean).toBeCloseTo(shown(figures.latencySec, 3) * 1000, 6);
        expect(point.ttftMs!.mean).toBeCloseTo(shown(figures.firstTokenSec, 3) * 1000, 6);
        const took = made.map(({ sentMs, endMs }) => endMs - sentMs!).toSorted((a, b) => a - b);
        for (const rank of [50, 90, 99] as const)
          expect(point.latencyMs![`p${rank}`]).toBeCloseTo(evalscopePercentile(took, rank), 0);
      },
    ),
    { numRuns: 40 },
  );
});

test('its percentile is a value of the list, with no fewer than the share below it and the last at the end', () => {
  const list = [1, 2, 3, 4];
  expect([0, 24, 25, 50, 99, 100].map((percent) => evalscopePercentile(list, percent))).toEqual([1, 1, 2, 3, 4, 4]);
});

test('the JSON files of 1.x, worked out by hand', () => {
  expect(summaryJson(two)).toMatchObject({
    'Test Duration (s)': 1,
    'Total Requests': 2,
    'Success Requests': 2,
    'Failed Requests': 0,
    'Stream Requests': 2,
    'Non-Stream Requests': 0,
    'Request Rate (req/s)': -1,
    'Req Throughput (req/s)': 2,
    'Avg Latency (s)': 0.525,
    'Output Throughput (tok/s)': 7,
    'Total Throughput (tok/s)': 27,
    'Avg TTFT (ms)': 150,
    // 150 / 2 and 600 / 3.
    'Avg TPOT (ms)': 137.5,
    'Avg ITL (ms)': 150,
  });
  const none = summaryJson(measured([failed], 0));
  expect([none['Test Duration (s)'], none['Avg Latency (s)'], none['Avg ITL (ms)'], none['Failed Requests']]).toEqual([
    0, 0, 0, 1,
  ]);
  const whole = exchange(0, 0, [], { endMs: 400, outputTokens: { planned: 1, server: 1, client: null } });
  const unstreamed = summaryJson(measured([whole], 400, false));
  expect([unstreamed['Non-Stream Requests'], unstreamed['Avg TTFT (ms)'], unstreamed['Avg TPOT (ms)']]).toEqual([
    1, 400, 0,
  ]);
  const rows = percentileJson(two);
  const row = (name: string): Record<string, unknown> => rows.find((one) => one['Percentiles'] === name)!;
  expect(rows.map((one) => one['Percentiles'])).toEqual([
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
  expect(row('50%')).toEqual({
    Percentiles: '50%',
    'Latency (s)': 0.25,
    'TTFT (ms)': 100,
    'ITL (ms)': 100,
    'TPOT (ms)': 75,
    'Input tokens': 10,
    'Output tokens': 3,
    'Output (tok/s)': 5,
    'Total (tok/s)': 17.5,
    'Decode (tok/s)': 5,
  });
  expect([row('min')['ITL (ms)'], row('1%')['ITL (ms)'], row('99%')['ITL (ms)'], row('max')['ITL (ms)']]).toEqual([
    50, 50, 300, 300,
  ]);
});

test('of a hundred answers, each percentile of 1.x is the one whose number it has', () => {
  const many = Array.from({ length: 100 }, (_, i) => exchange(i, 0, [i + 1, 1000 * (i + 1)]));
  for (const { Percentiles: name, 'Latency (s)': sec, 'TTFT (ms)': ttft } of percentileJson(measured(many, 1000)))
    expect([sec, ttft]).toEqual(
      name === 'min' ? [1, 1] : name === 'max' ? [100, 100] : Array(2).fill(Number.parseInt(String(name), 10)),
    );
});

test('the closing tables are boxes: every line as wide as the first, and their figures those of the JSON files', () => {
  const text = overviewTables([two, measured([exchange(0, 0, [100]), failed], 1000)]);
  for (const box of text
    .trim()
    .split('\n\n\n')
    .flatMap((part) => part.split('\n\n'))) {
    const [, ...lines] = box.split('\n').filter((line) => line !== '');
    expect(new Set(lines.map((line) => line.trimEnd().length)).size).toBe(1);
  }
  expect(text).toMatch(/│ +2 │ +- │ +2 │ +2 │ +7 │ +100% *│/);
  expect(text).toMatch(/│ +2 │ +- │ +2 │ .* 50% *│/);
  expect(text).toMatch(/TPOT \(ms\) +│ +137\.5 │ +75 │ +200 │ +200/);
  expect(text).toMatch(/Decode toks\/s +│ +7\.27 │ +- │ +- │ +-/);
});
