import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exchange } from '../../../test/made-exchanges.ts';
import { readCsv } from '../reading/csv-text.ts';
import { mindieRequests, mindieRows } from './figures.ts';
import { csvText, mindieCells, mindieColumns, mindieCommon, prettyTable } from './tables.ts';

const client = { inputTokens: 9, tokenizerMs: 1.5, detokenizerMs: 2.5 };
const two = mindieRequests(
  [exchange(0, 0, [100, 150, 250]), exchange(1, 200, [400, 500, 700, 1000])],
  false,
  () => client,
);
const rowOf = (name: string, requests = two) => mindieRows(requests).find((row) => row.name === name)!;

test('the figures of each row, worked out by hand from its definition', () => {
  const values = Object.fromEntries(mindieRows(two).map((row) => [row.name, row.values]));
  expect(values).toMatchObject({
    FirstTokenTime: [100, 200],
    DecodeTime: [50, 100, 100, 200, 300],
    LastDecodeTime: [100, 300],
    MaxDecodeTime: [100, 300],
    GenerateTime: [250, 800],
    InputTokens: [9, 9],
    GeneratedTokens: [3, 4],
    GeneratedTokenSpeed: [12, 5],
    GeneratedCharacters: [12, 16],
    Tokenizer: [1.5, 1.5],
    Detokenizer: [2.5, 2.5],
    PostProcessingTime: [0],
  });
  expect(rowOf('CharactersPerToken').only).toBe(4);
  // The 90th percentile of each request's own mean: 75 and 200 ms.
  expect(rowOf('DecodeTime').sloP90).toBeCloseTo(75 + 0.9 * 125, 9);
  expect(rowOf('CharactersPerToken', []).only).toBe(0);
});

test('an answer in one piece has the times that its server tells, and no gap of nothing', () => {
  const serverSteps = { timesMs: [30, 10, 0], batchSize: [2, 4, 4], queueWaitMs: [0.25, 1] };
  const whole = exchange(0, 0, [], { endMs: 60, outputTokens: { planned: 3, server: 3, client: null }, serverSteps });
  const [one] = mindieRequests([whole], true, () => client);
  expect(one).toMatchObject({
    firstTokenMs: 30,
    decodeMs: [10, 0],
    prefillBatch: 2,
    decodeBatch: [4, 4],
    queueWaitUs: [250, 1000],
    generatedTokens: 3,
  });
  const [silent] = mindieRequests([exchange(1, 0, [5])], false, () => client);
  expect(rowOf('MaxDecodeTime', [one!, silent!]).values).toEqual([10]);
  expect(rowOf('LastDecodeTime', [silent!]).values).toEqual([0]);
  // Streams count pieces unless the server's own count is asked for; whole answers have only the server's.
  const counted = exchange(2, 0, [5, 6], { outputTokens: { planned: null, server: 7, client: null } });
  const tokens = (serverCounts: boolean): number[] =>
    mindieRequests([counted, whole], serverCounts, () => client).map((request) => request.generatedTokens);
  expect([tokens(true), tokens(false)]).toEqual([
    [7, 3],
    [2, 3],
  ]);
});

test('cells stand in the order of the columns, whole where Python leaves them whole', () => {
  const cells = (row: Parameters<typeof mindieCells>[0]) =>
    Object.fromEntries(mindieCells(row, 5).map((cell, i) => [mindieColumns[i], cell]));
  expect(cells({ name: 'x', unit: ' ms', values: [1, 2, 3, 4], sloP90: 2.5 })).toEqual({
    average: '2.5 ms',
    max: '4.0 ms',
    min: '1.0 ms',
    P75: '3.25 ms',
    P90: '3.7 ms',
    SLO_P90: '2.5 ms',
    P99: '3.97 ms',
    N: '5',
  });
  expect(cells({ name: 'x', unit: '', values: [3, 1], sloP90: null })).toMatchObject({
    average: '2.0',
    max: '3',
    min: '1',
    SLO_P90: '/',
  });
  expect(cells({ name: 'x', unit: ' μs', values: [0, 0] })).toMatchObject({
    average: '0 μs',
    max: '0 μs',
    P99: '0 μs',
    SLO_P90: '0 μs',
  });
  expect(cells({ name: 'x', unit: '', values: [0, 1.5] })).toMatchObject({ max: '1.5', min: '0' });
  expect(mindieCells({ name: 'x', unit: ' ms', values: [] }, 5)).toEqual([
    ...Array.from({ length: 7 }, () => '/ ms'),
    '5',
  ]);
  expect(mindieCells({ name: 'x', unit: '', values: [], only: 4 }, 5)).toEqual([
    '4.0',
    '/',
    '/',
    '/',
    '/',
    '/',
    '/',
    '5',
  ]);
});

test('the common table: shares of what was planned, rates over the time from the first start to the last end', () => {
  const common = { currentTime: 'now', dataSource: 'd', planned: 4, concurrency: 2, model: 'm', accuracy: 0.5 };
  expect(Object.fromEntries(mindieCommon(two, common))).toEqual({
    CurrentTime: 'now',
    TimeElapsed: '1.0 s',
    DataSource: 'd',
    Failed: '2( 50.0% )',
    Returned: '2( 50.0% )',
    Total: '4[ 100.0% ]',
    Concurrency: '2',
    ModelName: 'm',
    lpct: '16.6667 ms',
    Throughput: '2.0 req/s',
    GenerateSpeed: '7.0 token/s',
    GenerateSpeedPerClient: '3.5 token/s',
    accuracy: '50.0%',
  });
  expect(Object.fromEntries(mindieCommon([], { ...common, planned: 0, accuracy: null }))).toMatchObject({
    TimeElapsed: '0.0 s',
    Failed: '0( 0.0% )',
    lpct: '0.0 ms',
    Throughput: '0.0 req/s',
    accuracy: '/',
  });
});

test('law: a box is a rectangle that holds every cell whole, and a table in commas is read back equal', () => {
  const cell = fc.string({ maxLength: 9 }).filter((text) => !/[\r\n|]/.test(text));
  const table = fc
    .integer({ min: 1, max: 4 })
    .chain((n) => fc.array(fc.array(cell, { minLength: n, maxLength: n }), { minLength: 1, maxLength: 5 }));
  fc.assert(
    fc.property(table, ([head, ...rows]) => {
      const lines = prettyTable(head!, rows).trimEnd().split('\n');
      expect(new Set(lines.map(({ length }) => length)).size).toBe(1);
      expect(lines).toHaveLength(rows.length + 4);
      const shown = lines.filter((line) => line.startsWith('|')).map((line) => line.slice(1, -1).split('|'));
      for (const [i, row] of [head!, ...rows].entries())
        for (const [column, text] of row.entries()) expect(shown[i]![column]!.slice(1, -1).endsWith(text)).toBe(true);
      for (const column of head!.keys())
        expect(Math.max(...[head!, ...rows].map((row) => row[column]!.length))).toBe(shown[0]![column]!.length - 2);
    }),
  );
  const filled = fc.array(
    fc.array(fc.string({ minLength: 1, unit: fc.constantFrom('a', ',', '"', '\n', ' ') }), {
      minLength: 1,
      maxLength: 4,
    }),
    { maxLength: 5 },
  );
  fc.assert(
    fc.property(filled, (rows) => {
      expect(readCsv(csvText(rows)).map(({ cells }) => cells)).toEqual(rows);
    }),
  );
});
