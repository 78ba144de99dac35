import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Exchange, Summary } from '../../src/core/index.ts';
import { dyno, emptyFolder, engine, summaryOf } from './dyno.ts';
import type { SelftestReport } from '../../src/advice/selftest/index.ts';
import type { Engine } from './dyno.ts';

let server: Engine | null = null;
afterEach(async () => {
  await server?.stop();
  server = null;
});

/**
 * The middle of many values, in the plainest way, so that it shares nothing with the code under test. Times to the first token stand in
 * clumps, a step of the engine apart: which of two neighbours is the middle one hangs on microseconds, so the two on either
 * side of it belong to it.
 */
function middle(values: readonly number[]): { from: number; to: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const at = Math.floor(sorted.length / 2);
  return { from: sorted[at - 2]!, to: sorted[at + 2]! };
}

/** How far a figure lies outside, as a part of it; 0 = inside. */
function outside(value: number, { from, to }: { from: number; to: number }): number {
  return value < from ? value / from - 1 : value > to ? value / to - 1 : 0;
}

function exchangesOf(store: string): Exchange[] {
  const file = join(store, readdirSync(store)[0]!, 'exchanges.ndjson');
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Exchange).filter(({ warmup, outcome }) => !warmup && outcome === 'ok');
}

/** What the engine's own stamps say of the same run: when each token left it, on the client's clock. */
function truth(exchanges: readonly Exchange[]): Record<'ttftMs' | 'gapMs', { from: number; to: number }> {
  const ttfts = exchanges.map(({ chunks, sentMs }) => chunks.emittedMs![0]! - sentMs!);
  const gaps = exchanges.flatMap(({ chunks }) => chunks.emittedMs!.slice(1).map((at, i) => at - chunks.emittedMs![i]!));
  return { ttftMs: middle(ttfts), gapMs: middle(gaps) };
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
      const errors = [outside(summary.ttftMs!.p50!, ttftMs), outside(summary.itlMs!.p50!, gapMs)];
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

/** What `dyno selftest` says of a server whose events carry these members beside their text. */
async function selftestOf(members: () => object): Promise<{ code: number | null; report: SelftestReport }> {
  const other = createServer((request, response) => {
    request.resume();
    // It has no list of models: a server made for stamping need not have one.
    if (request.method === 'GET') return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    let left = 10;
    const timer = setInterval(() => {
      const delta = left > 0 ? { content: ' word' } : {};
      const event = { choices: [{ index: 0, delta, finish_reason: left > 0 ? null : 'stop' }] };
      response.write(`data: ${JSON.stringify({ ...event, ...members() })}\n\n`);
      if (left-- > 0) return;
      clearInterval(timer);
      response.end('data: [DONE]\n\n');
    }, 10);
    response.on('close', () => clearInterval(timer));
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo;
  const words = ['--concurrency', '4', '--duration', '1', '--json'];
  const done = await dyno(['selftest', '--url', `http://127.0.0.1:${port}`, ...words]);
  other.close();
  other.closeAllConnections();
  return { code: done.code, report: JSON.parse(done.out) as SelftestReport };
}

test('dyno selftest takes a server that stamps in its own way, and tells which', async () => {
  // Microseconds of the wall clock, as a bare number under another name.
  const { report } = await selftestOf(() => ({
    t_us: Math.round((performance.timeOrigin + performance.now()) * 1000),
  }));
  expect(report.stamp).toEqual({ field: 't_us', unit: 'us', clock: 'realtime' });
  expect(report.timestampErrorMs.n).toBeGreaterThan(40);
  expect([report.unaccounted, report.failed]).toEqual([0, 0]);
  expect(report.timestampErrorMs.shares.reduce((sum, { ratio }) => sum + ratio, 0)).toBeCloseTo(1, 9);
  // On one clock: nothing is read before it was written, and what was written is read soon.
  expect(report.timestampErrorMs.p50!).toBeGreaterThan(-0.1);
  expect(report.timestampErrorMs.p50!).toBeLessThan(1000);
});

test('dyno selftest takes no stamp of another clock for an error of this client', async () => {
  const anHourNs = 3_600_000_000_000n;
  const { code, report } = await selftestOf(() => ({ emit_ns: String(process.hrtime.bigint() + anHourNs) }));
  expect(code).toBe(5);
  // Where the question beforehand told enough, its words; where it did not, that the stamps lie ahead.
  const told = new Set(report.verdict.findings.map((finding) => finding.code));
  const refused = report.stamp === null && report.timestampErrorMs.n === 0 && told.has('not-stamped');
  expect(refused || told.has('stamps-ahead')).toBe(true);
});
