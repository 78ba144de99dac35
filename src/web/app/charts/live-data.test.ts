import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { columnNames } from '../../api/request-columns.ts';
import type { ColumnBlock } from '../../api/request-columns.ts';
import { RequestData } from '../state/request-data.ts';
import { liveSeries, sampleCharts } from './live-data.ts';
import { sampleName } from './sample-names.ts';
import { timelineData } from './timeline-data.ts';

interface Request {
  sentMs: number;
  waitMs: number;
  lastMs: number;
  tokens: number;
  ok: boolean;
}

const request = fc.record({
  sentMs: fc.integer({ min: 0, max: 20_000 }),
  waitMs: fc.integer({ min: 0, max: 3000 }),
  lastMs: fc.integer({ min: 0, max: 3000 }),
  tokens: fc.integer({ min: 1, max: 500 }),
  ok: fc.boolean(),
});

function dataOf(requests: readonly Request[]): RequestData {
  const block = Object.fromEntries(columnNames.map((name) => [name, new Float64Array(requests.length)])) as ColumnBlock;
  for (const [i, { sentMs, waitMs, lastMs, tokens, ok }] of requests.entries()) {
    block.sentMs[i] = sentMs;
    block.firstOutputMs[i] = sentMs + waitMs;
    block.endMs[i] = sentMs + waitMs + lastMs;
    block.outputTokens[i] = tokens;
    block.outcome[i] = ok ? 0 : 1;
  }
  const data = new RequestData();
  data.add(block);
  return data;
}

test('over a whole run nothing is lost: tokens, ends and time in flight add up to those of the requests', () => {
  fc.assert(
    fc.property(fc.array(request, { minLength: 1, maxLength: 60 }), (requests) => {
      const data = dataOf(requests);
      const start = data.startMs();
      const series = liveSeries(data, start);
      const stepSec = series.seconds[0]! * 2;
      const total = (list: readonly number[]): number => list.reduce((sum, value) => sum + value, 0) * stepSec;
      const ok = requests.filter((one) => one.ok);
      expect(total(series.tokensPerSec)).toBeCloseTo(
        ok.reduce((sum, { tokens }) => sum + tokens, 0),
        3,
      );
      expect(total(series.donePerSec)).toBeCloseTo(ok.length, 6);
      expect(total(series.failedPerSec)).toBeCloseTo(requests.length - ok.length, 6);
      const inFlightSec = requests.reduce((sum, { waitMs, lastMs }) => sum + (waitMs + lastMs) / 1000, 0);
      expect(total(series.inFlight)).toBeCloseTo(inFlightSec, 3);
      const [times, inFlight] = timelineData(data, start);
      expect(inFlight!.reduce((sum, value) => sum + value, 0) * times![0]! * 2).toBeCloseTo(inFlightSec, 3);
    }),
    { numRuns: 100 },
  );
});

test('of a run under way only stretches that are over are drawn, and what the client counted stands for what has not ended yet', () => {
  const told = Array.from({ length: 7 }, (_, sec) => ({
    nowMs: sec * 1000 + 250,
    due: 4,
    sent: 4,
    inFlight: 4,
    ok: 0,
    failed: 0,
    heardTokens: Math.min(sec, 3) * 100,
  }));
  const series = liveSeries(new RequestData(), 0, told);
  // 6.25 s of half-second stretches: the thirteenth is not over.
  expect(series.seconds).toHaveLength(12);
  expect(series.inFlight.slice(1)).toEqual(Array.from({ length: 11 }, () => 4));
  expect(series.tokensPerSec.slice(1, 6).map(Math.round)).toEqual([100, 100, 100, 100, 100]);
  expect(series.tokensPerSec.slice(7)).toEqual([0, 0, 0, 0, 0]);
});

describe('samples of server and cards', () => {
  const samples = [
    { atMs: 1000, values: { 'device 0 powerW': 300, 'device 1 powerW': 310, 'device 0 memoryUsedBytes': 2e9 } },
    { atMs: 1500, values: { 'server odd': 5, 'server waiting': 7 } },
    { atMs: 2000, values: { 'device 0 powerW': 290 } },
  ];

  test('every quantity is one chart with a line for each card, the known ones first', () => {
    const charts = sampleCharts(samples, 500);
    expect(charts.map(({ what, lines }) => [what, lines])).toEqual([
      ['server waiting', ['']],
      ['device memoryUsedBytes', ['0']],
      ['device powerW', ['0', '1']],
      ['server odd', ['']],
    ]);
    expect(charts[1]!.data).toEqual([[0.5], [2]]);
    expect(charts[2]!.data).toEqual([
      [0.5, 1.5],
      [300, 290],
      [310, null],
    ]);
  });

  test('what servers and cards commonly tell has a Chinese name; what nobody knows keeps its own', () => {
    for (const what of ['server running', 'server waiting', 'server kvUsageRatio', 'device utilizationRatio'])
      expect(sampleName(what).title.zh).toMatch(/[\u4e00-\u9fff]{2}/);
    expect(sampleName('server constructor').title).toEqual({ en: 'server constructor', zh: 'server constructor' });
  });
});
