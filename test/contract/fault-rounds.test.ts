import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Round } from './fault-rounds.ts';

const count = process.env['LLMDYNO_LONG'] === '1' ? 30 : 5;
const folder = mkdtempSync(join(tmpdir(), 'llmdyno-rounds-'));
let found: { before: Pick<Round, 'sockets' | 'resources'>; rounds: Round[] };

beforeAll(async () => {
  const outfile = join(folder, 'rounds.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'fault-rounds.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    // The certificate of the test server lies beside the tests.
    define: { 'import.meta.dirname': JSON.stringify(join(import.meta.dirname, 'faults')) },
  });
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', outfile, String(count)]);
  found = JSON.parse(stdout) as typeof found;
}, 600_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe(`every fault at once, streamed and not, over every transport, ${count} times over`, () => {
  test('each request ends in the bucket of its fault, and none is lost', () => {
    expect(found.rounds).toHaveLength(count);
    expect(found.rounds.flatMap(({ wrong }) => wrong)).toEqual([]);
    expect(found.rounds.map(({ unaccounted }) => unaccounted)).toEqual(Array<number>(count).fill(0));
  });

  test('no fault costs a slot: after each end as many are in flight again as were asked for, and never more', () => {
    // One lost slot of eight would be missing from all that follows.
    const ratios = found.rounds.map(({ inFlightRatio }) => inFlightRatio);
    expect(ratios.reduce((sum, ratio) => sum + ratio, 0) / count).toBeGreaterThanOrEqual(0.99);
    expect(Math.max(...ratios)).toBeLessThanOrEqual(1);
  });

  test('sockets, timers and handles are back to the start after each round, on both sides', () => {
    for (const { sockets, resources, serversOpen } of found.rounds) {
      expect({ sockets, resources, serversOpen }).toEqual({ ...found.before, serversOpen: 0 });
    }
  });

  test('memory does not grow from round to round', () => {
    const held = found.rounds.map(({ heldBytes }) => heldBytes);
    // The first rounds fill caches and compile, and go on compiling for a while; a request that is kept is kilobytes.
    const early = Math.max(...held.slice(1, 3));
    const requests = found.rounds.slice(3).reduce((sum, round) => sum + round.requests, 0);
    expect(Math.min(...held.slice(-2)) - early).toBeLessThan(Math.max(256 * 1024, 100 * requests));
  });
});
