import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { outputTokensOf } from '../../core/index.ts';
import type { Exchange } from '../../core/index.ts';
import { encodeExchange } from './exchange-line.ts';
import { readExchanges } from './run-reader.ts';
import { exchangeAt, scanExchanges } from './scan-exchanges.ts';
import type { ScannedRow } from './scan-exchanges.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dyno-scan-'));
});
afterEach(() => rm(dir, { recursive: true }));

const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { nil: null });
const time = fc.integer({ min: 0, max: 10 ** 9 }).map((micros) => micros / 1000);
const counts = fc.record({ planned: maybe(fc.nat()), server: maybe(fc.nat()), client: maybe(fc.nat()) });
const exchange: fc.Arbitrary<Exchange> = fc
  .record({
    seq: fc.integer({ min: -5, max: 1000 }),
    promptId: fc.oneof(fc.string({ unit: 'binary' }), fc.constant('},"endMs":1,"chunks":{"atMs":[7]')),
    warmup: fc.boolean(),
    dueMs: time,
    sentMs: maybe(time),
    atMs: fc.array(time, { maxLength: 30 }),
    endMs: time,
    inputTokens: counts,
    outputTokens: counts,
    outcome: fc.constantFrom('ok', 'failed', 'cancelled', 'dropped'),
  })
  .map(({ atMs, ...rest }) => ({
    labels: {},
    connectMs: null,
    firstByteMs: null,
    cachedTokens: null,
    reasoningTokens: null,
    inputChars: 1,
    outputChars: 1,
    finish: null,
    httpStatus: null,
    attempts: 1,
    problem: rest.outcome === 'failed' ? { code: 'reset', status: null, words: '"chunks":{"atMs":[' } : null,
    ...rest,
    chunks: { atMs, tokens: atMs.map(() => 1), kinds: 'a'.repeat(atMs.length) },
  }));

/** What a row says of its record, without where it stands. */
function told({
  seq,
  warmup,
  dueMs,
  sentMs,
  firstOutputMs,
  endMs,
  outputTokens,
  outcome,
  problem,
}: ScannedRow): object {
  return { seq, warmup, dueMs, sentMs, firstOutputMs, endMs, outputTokens, outcome, problem };
}

async function scanAll(): Promise<ScannedRow[]> {
  const rows: ScannedRow[] = [];
  for (let at = 0; ;) {
    const scanned = await scanExchanges({ dir }, at);
    rows.push(...scanned.rows);
    at = scanned.nextByte;
    if (scanned.atEnd) return rows;
  }
}

test('a scan tells of every record what reading it whole tells, whatever its words are', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(exchange, { maxLength: 8 }), async (written) => {
      await writeFile(join(dir, 'exchanges.ndjson'), written.map((one) => `${encodeExchange(one)}\n`).join(''));
      const whole: Exchange[] = [];
      for await (const one of readExchanges({ dir })) whole.push(one);
      const nan = (value: number | null | undefined): number => value ?? NaN;
      const rows = await scanAll();
      expect(rows.map(told)).toEqual(
        whole.map((one) => ({
          seq: one.seq,
          warmup: one.warmup,
          dueMs: one.dueMs,
          sentMs: nan(one.sentMs),
          firstOutputMs: nan(one.chunks.atMs[0]),
          endMs: one.endMs,
          outputTokens: nan(outputTokensOf(one)),
          outcome: one.outcome,
          problem: one.problem?.code ?? null,
        })),
      );
      for (const [i, row] of rows.entries()) expect(await exchangeAt({ dir }, row)).toEqual(whole[i]);
    }),
    { numRuns: 60 },
  );
});

test('a file that grows, torn anywhere, is followed without losing or repeating a line', async () => {
  const [one] = fc.sample(exchange, { numRuns: 1, seed: 3 });
  const text = Array.from({ length: 5 }, (_, seq) => `${encodeExchange({ ...one!, seq })}\n`).join('');
  const file = join(dir, 'exchanges.ndjson');
  await writeFile(file, '');
  const seen: number[] = [];
  let at = 0;
  for (let from = 0; from < text.length; from += 97) {
    await appendFile(file, text.slice(from, from + 97));
    const { rows, nextByte } = await scanExchanges({ dir }, at);
    seen.push(...rows.map(({ seq }) => seq));
    at = nextByte;
  }
  expect(seen).toEqual([0, 1, 2, 3, 4]);
  expect(at).toBe((await readFile(file)).length);
});

test('a line that is no record is passed over; a folder without the file has no rows', async () => {
  const [one] = fc.sample(exchange, { numRuns: 1, seed: 3 });
  expect(await scanAll()).toEqual([]);
  await writeFile(join(dir, 'exchanges.ndjson'), `{"seq":\n[]\n${encodeExchange({ ...one!, seq: 7 })}\nnull\n`);
  expect((await scanAll()).map(({ seq }) => seq)).toEqual([7]);
});
