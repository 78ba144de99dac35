import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Exchange, Summary } from '../../src/core/index.ts';
import { dyno, emptyFolder, engine, summaryOf } from './dyno.ts';
import type { Engine } from './dyno.ts';

let server: Engine | null = null;
afterEach(async () => {
  await server?.stop();
  server = null;
});

/** A median in the plainest way, so that it shares nothing with the code under test. */
function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

function exchangesOf(store: string): Exchange[] {
  const file = join(store, readdirSync(store)[0]!, 'exchanges.ndjson');
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Exchange).filter(({ warmup, outcome }) => !warmup && outcome === 'ok');
}

/** What the engine's own stamps say of the same run: when each token left it, on the client's clock. */
function truth(exchanges: readonly Exchange[]): { ttftMs: number; gapMs: number } {
  const ttfts = exchanges.map(({ chunks, sentMs }) => chunks.emittedMs![0]! - sentMs!);
  const gaps = exchanges.flatMap(({ chunks }) => chunks.emittedMs!.slice(1).map((at, i) => at - chunks.emittedMs![i]!));
  return { ttftMs: median(ttfts), gapMs: median(gaps) };
}

describe('measuring the measurer', () => {
  test.each([
    ['32 streams', ['--concurrency', '32', '-n', '320', '--warmup', '32']],
    ['20 requests a second, open loop', ['--rate', '20', '-n', '120']],
  ])(
    '%s: TTFT and gaps agree with the engine within 2 % at the median, or the run says it is not valid',
    async (_, load) => {
      const store = await emptyFolder();
      server = await engine(['--stamp', '--profile', 'llama-3-8b-vllm-rtx4090']);
      const done = await dyno([
        'run',
        server.url,
        ...load,
        '--max-tokens',
        '40',
        '--ignore-eos',
        '--json',
        '--store',
        store,
      ]);
      const summary: Summary = summaryOf(done);
      const exchanges = exchangesOf(store);
      expect(exchanges.length).toBe(summary.counts.planned);
      expect(exchanges.every(({ chunks }) => chunks.emittedMs?.length === chunks.atMs.length)).toBe(true);
      const { ttftMs, gapMs } = truth(exchanges);
      const errors = [summary.ttftMs!.p50! / ttftMs - 1, summary.itlMs!.p50! / gapMs - 1];
      const agrees = errors.every((error) => Math.abs(error) <= 0.02);
      expect({ errors, verdict: agrees || !summary.verdict.valid ? 'honest' : 'a lie' }).toMatchObject({
        verdict: 'honest',
      });
      // Nothing is received before it was sent, whatever the load on this machine.
      const early = exchanges.flatMap(({ chunks }) => chunks.atMs.filter((at, i) => at < chunks.emittedMs![i]! - 0.01));
      expect(early).toEqual([]);
      expect(done.code).toBe(summary.verdict.valid ? 0 : 5);
    },
  );
});
