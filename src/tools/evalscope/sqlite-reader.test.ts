import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fixtures } from '../../../test/imported.ts';
import { importSqlite, joinFiles } from '../index.ts';

// make.py beside the file names its ten rows: three streams, one answer in one piece, one of one token, one of no time, one that failed,
// one without a latency, one without a beginning, one that ends before it begins.
test('of requests of every kind each figure is made of those that have it, worked out by hand', () => {
  const bytes = readFileSync(join(fixtures, 'sqlite/edges.db'));
  const [sweep] = joinFiles([importSqlite(bytes, 'edges.db')]).sweeps;
  expect(sweep!.points[0]).toMatchObject({
    load: { stream: true },
    counts: { planned: 10, ok: 8, failed: 2 },
    // From 99 to 105 s, the failed one included; 26 tokens out and 210 in.
    durationMs: 6000,
    requestsPerSec: 8 / 6,
    outputTokensPerSec: 26 / 6,
    totalTokensPerSec: 236 / 6,
    latencyMs: { mean: 1250, min: 0, max: 2000 },
    // 250, 500, 1000 and 1500: an answer in one piece has no first token.
    ttftMs: { mean: 812.5, min: 250, max: 1500 },
    // 750 / 3, 1500 / 6, 1000 / 2.
    tpotMs: { mean: 1000 / 3, min: 250, max: 500 },
    // 250, 500; 1000, 500; 1000; 500.
    itlMs: { mean: 625, min: 250, max: 1000 },
    inputTokens: { mean: 35, min: 10, max: 60 },
    outputTokens: { mean: 26 / 6, min: 1, max: 7 },
    // 4, 3.5, 1.5, 5 and 0.5 a second; the one of no time has none.
    userTokensPerSec: { mean: 2.9, min: 0.5, max: 5 },
    tokenSource: { input: 'server', output: 'server' },
  });
  expect(sweep!.requests[0]).toEqual([
    { sentMs: 100_000, heardMs: [100_250, 100_500, 101_000], endMs: 101_000, failure: null },
    { sentMs: 100_500, heardMs: [101_000, 102_000, 102_500], endMs: 102_500, failure: null },
    { sentMs: 101_000, heardMs: [102_000, 103_000], endMs: 103_000, failure: null },
    { sentMs: 102_000, heardMs: [103_000], endMs: 103_000, failure: null },
    { sentMs: 102_000, heardMs: [103_500, 104_000], endMs: 104_000, failure: null },
    { sentMs: 104_000, heardMs: [], endMs: 104_000, failure: null },
    { sentMs: 99_000, heardMs: [], endMs: 105_000, failure: 'in-stream-error' },
    { sentMs: 103_000, heardMs: [], endMs: 104_000, failure: null },
  ]);
});
