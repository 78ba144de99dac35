import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { dyno, emptyFolder, engine, summaryOf } from './dyno.ts';
import type { Done, Engine } from './dyno.ts';

const main = join(import.meta.dirname, '../../dist/cli/main.js');
let server: Engine | null = null;
afterEach(async () => {
  await server?.stop();
  server = null;
});

/** A command of the shell with `dyno` in it. */
function shell(script: string): Promise<Done> {
  const whole = `dyno() { "${process.execPath}" "${main}" "$@"; }\n${script}`;
  const child = spawn('bash', ['-c', whole], { env: { PATH: process.env['PATH'], LANG: 'C' } });
  const text = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (text.out += piece));
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (text.err += piece));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...text })));
}

const quickly = '--model any --max-tokens 8 --ignore-eos --lenient --no-preflight --devices none --metrics none --json';

test('file handles used up: requests fail on this side and say so, none is lost, the summary is written', async () => {
  server = await engine(['--model', 'any', '--speed', '50']);
  const store = await emptyFolder();
  const done = await shell(
    `ulimit -n 200; dyno run ${server.url} --concurrency 400 -n 1200 ${quickly} --threads 1 --store ${store}`,
  );
  expect(done.err).not.toMatch(/bug/);
  const { counts, client, verdict } = summaryOf(done);
  expect(counts.planned).toBe(1200);
  expect(counts.ok + counts.failed).toBe(1200);
  expect(counts.ok).toBeGreaterThan(0);
  expect(Object.keys(counts.byProblem)).toEqual(['client-resources']);
  expect(client!.fileHandlesLimit).toBe(200);
  expect(verdict.findings.map(({ code }) => code)).toContain('client-room');
});

test('a full disk ends the run at once, is told, and what was written can be read and gone on with', async () => {
  server = await engine(['--model', 'any', '--speed', '50']);
  const folder = await emptyFolder();
  const small = join(folder, 'small');
  mkdirSync(small);
  const load = `dyno run ${server.url} --concurrency 32 -n 1500 ${quickly.replace('--max-tokens 8', '--max-tokens 64')}`;
  // A file system of its own takes rights that not every host gives; elsewhere the size of one file is limited, which fails alike.
  const mounted = (await shell(`unshare -m true`)).code === 0;
  const script = mounted
    ? `unshare -m bash -c 'dyno() { "${process.execPath}" "${main}" "$@"; }; mount -t tmpfs -o size=700k tmpfs ${small} && ${load} --store ${small}; code=$?; cp -r ${small}/. ${folder}/kept; exit $code'`
    : `ulimit -f 600; ${load} --store ${folder}/kept`;
  const done = await shell(script);
  expect(done.code).toBe(6);
  expect(done.err).toMatch(mounted ? /the disk is full/ : /the file system said EFBIG/);
  expect(done.err).not.toMatch(/bug/);
  const kept = join(folder, 'kept');
  const [id] = readdirSync(kept) as [string];
  const partial = summaryOf(await dyno(['report', id, '--json', '--store', kept]));
  expect(partial.partial).toBe(true);
  expect(partial.counts.ok).toBeGreaterThan(0);
  expect(partial.counts.ok + partial.counts.unaccounted).toBe(1500);
  const whole = summaryOf(await dyno(['run', '--resume', id, '--json', '--store', kept]));
  expect(whole.counts).toMatchObject({ planned: 1500, ok: 1500, unaccounted: 0 });
});

test('nobody reads what is said any more: the run goes on, and its files are whole', async () => {
  server = await engine(['--model', 'any', '--speed', '50']);
  const store = await emptyFolder();
  const load = `dyno run ${server.url} --concurrency 4 -n 40 ${quickly.replace('--json', '')} --store ${store}`;
  // The first remark is read, and then nothing more, of the results neither.
  const done = await shell(`set -o pipefail; { ${load} --label 'first' ; } 2>&1 | head -c 1 >/dev/null`);
  expect(done.code).toBe(0);
  const [id] = readdirSync(store) as [string];
  expect(summaryOf(await dyno(['report', id, '--json', '--store', store])).counts).toMatchObject({
    planned: 40,
    ok: 40,
  });
  const full = await shell(`${load} >/dev/full`);
  expect([full.code, full.err]).toEqual([2, expect.stringContaining('cannot write the result to stdout')]);
  expect(full.err).not.toMatch(/\bat .*\.js/);
});
