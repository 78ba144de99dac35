import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Summary } from '../../src/core/index.ts';
import { tuneSchema } from '../../src/advice/tune/index.ts';
import type { TuneDocument } from '../../src/advice/tune/index.ts';
import { startRedis } from '../contract/redis-server.ts';
import type { RedisServer } from '../contract/redis-server.ts';
import { dismiss, lostSoon, startWorker, untilRecords } from './crew.ts';
import { dyno, emptyFolder, engine, start } from './dyno.ts';
import type { Done, Running } from './dyno.ts';
import { original, tuneBench } from './tune-bench.ts';

let redis: RedisServer;
const workers: Running[] = [];
beforeAll(async () => {
  redis = await startRedis();
  workers.push(await startWorker(redis.url, 'dyno', 'a'), await startWorker(redis.url, 'dyno', 'b'));
});
afterAll(async () => {
  await dismiss(workers);
  await redis.close();
});

const bench = (): ReturnType<typeof tuneBench> => tuneBench('good', 'budget: {runs: 2}', { requests: 40 });

test('trials of a tune are sent by the workers, and everything is put back', async () => {
  const { file, config, store } = await bench();
  const team = ['--workers', redis.url, '--min-workers', '2'];
  const done = await dyno(['tune', file, ...team, '--json', '--store', store]);
  const tune = tuneSchema.parse(JSON.parse(done.out));
  expect(tune.trials.map(({ outcome }) => outcome)).toEqual(['ok', 'ok']);
  const [folder] = await readdir(store);
  const runs = (await readdir(join(store, folder!), { withFileTypes: true })).filter((entry) => entry.isDirectory());
  expect(runs).toHaveLength(2);
  for (const { name } of runs) {
    const summary = JSON.parse(await readFile(join(store, folder!, name, 'summary.json'), 'utf8')) as Summary;
    expect(summary.counts.ok).toBe(summary.counts.planned);
    expect(summary.workers!.map((worker) => worker.name)).toEqual(['a', 'b']);
    expect(summary.workers!.reduce((sum, { exchanges }) => sum + exchanges, 0)).toBe(summary.counts.planned);
  }
  expect(await readFile(config, 'utf8')).toBe(original);
});

test('without workers nothing is started or changed', async () => {
  const { file, config, store } = await bench();
  const nobody = ['--workers', redis.url, '--queue', 'empty', '--wait-workers', '1s'];
  const done = await dyno(['tune', file, ...nobody, '--store', store]);
  expect([done.code, done.err]).toEqual([3, expect.stringMatching(/0 of 1 workers are on queue "empty"/)]);
  expect(await readFile(config, 'utf8')).toBe(original);
  expect(await readdir(store).catch(() => [])).toEqual([]);
});

test('a tune whose workers are all gone ends there, puts its configuration back, and goes on with --resume', async () => {
  const { file, config, store } = await bench();
  const doomed = await startWorker(redis.url, 'doomed', 'x', { flags: lostSoon });
  workers.push(doomed);
  const team = ['--workers', redis.url, '--queue', 'doomed', '--wait-workers', '2s', '--store', store];
  const running = start(['tune', file, ...team]);
  await doomed.until('err', /begins/);
  doomed.child.kill('SIGKILL');
  const done = await running.done;
  expect([done.code, done.err]).toEqual([
    2,
    expect.stringMatching(/a trial ended before its requests were sent: the workers, or Redis, are gone/),
  ]);
  expect(done.err).toMatch(/dyno tune FILE --resume latest --workers/);
  expect(await readFile(config, 'utf8')).toBe(original);
  workers.push(await startWorker(redis.url, 'doomed', 'y'));
  const again = await dyno(['tune', file, ...team, '--resume', 'latest', '--json']);
  const tune = tuneSchema.parse(JSON.parse(again.out));
  // The trial that nobody finished says nothing of the server and counts for nothing.
  expect(tune.trials.filter(({ outcome }) => outcome === 'ok')).toHaveLength(2);
  expect(await readFile(config, 'utf8')).toBe(original);
});

test('a simulated tune on the workers goes the same way as on this machine', async () => {
  const dir = await emptyFolder();
  const file = join(dir, 'tune.yaml');
  await writeFile(
    file,
    'engine: mindie\nurl: http://127.0.0.1:1\nspace: {maxBatchSize: {from: 4, to: 48, start: 40}}\n' +
      'load: {concurrency: 32}\nworkload: {requests: 60, input-tokens: 40, output-tokens: 8, lenient: true}\nbudget: {runs: 3}\n',
  );
  const words = ['tune', file, '--simulate', 'qwen1.5-7b-mindie-8x910b4', '--json', '--quiet', '--store'];
  const figures = (done: Done): unknown[] =>
    (JSON.parse(done.out) as TuneDocument).trials.map(({ settings, seed, outcome, figures: measured }) => [
      settings,
      seed,
      outcome,
      measured,
    ]);
  const alone = figures(await dyno([...words, join(dir, 'alone')]));
  const together = figures(await dyno([...words, join(dir, 'together'), '--workers', redis.url]));
  expect(alone).toHaveLength(3);
  expect(together).toEqual(alone);
});

test('a run that is started from the page is done by the workers, and is live there with counts of all of them', async () => {
  const loaded = await engine(['--speed', '5']);
  const store = await emptyFolder();
  const team = ['--workers', redis.url, '--min-workers', '2'];
  const ui = start(['ui', '--port', '0', '--no-open', '--store', store, ...team]);
  const address = (await ui.until('out', /\n/)).trim();
  const mine = { authorization: `Bearer ${new URL(address).searchParams.get('token')}` };
  const page = async <T>(path: string, body?: unknown): Promise<T> => {
    const change = {
      method: 'POST',
      headers: { ...mine, 'x-llmdyno': '1', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    const reply = await fetch(new URL(`/api/v1${path}`, address), body === undefined ? { headers: mine } : change);
    return (await reply.json()) as T;
  };
  const words = { rate: '20', duration: '60', 'max-tokens': '8' };
  const begun = await page<{ job: string }>('/start', { command: 'run', url: loaded.url, words });
  // It ends by itself at the latest; nobody waits for it here.
  const ends = new Promise<never>(() => {});
  await untilRecords(store, 30, { ...ui, done: ends });
  const rows = async (): Promise<{ id: string; live: boolean }[]> =>
    (await page<{ rows: { id: string; live: boolean }[] }>('/runs')).rows;
  const [row] = await rows();
  expect(row).toMatchObject({ live: true });
  const file = join(store, row!.id, 'live.json');
  const said = async (): Promise<{ sent: number; ok: number }> =>
    (JSON.parse(await readFile(file, 'utf8')) as { state: { sent: number; ok: number } }).state;
  // It is written once a second: what it says grows while the run goes on.
  const first = await said();
  await untilRecords(store, 60, { ...ui, done: ends });
  let now = await said();
  while (now.ok <= first.ok) now = await said();
  expect(now.sent).toBeGreaterThanOrEqual(now.ok);
  // The page stops a run with this file.
  await writeFile(join(store, row!.id, 'stop'), '');
  type State = { exitCode: number | null };
  let state = await page<State>(`/jobs/${begun.job}`);
  while (state.exitCode === null) state = await page<State>(`/jobs/${begun.job}`);
  const { what } = await page<{ what: Summary }>(`/runs/${row!.id}`);
  const { counts } = what;
  expect(counts.ok).toBeGreaterThanOrEqual(60);
  expect(counts.ok + counts.failed + counts.cancelled + counts.dropped).toBe(counts.planned);
  expect(what.workers!.map(({ name }) => name)).toEqual(['a', 'b']);
  expect((await rows())[0]).toMatchObject({ live: false });
  expect(await readdir(join(store, row!.id))).not.toContain('live.json');
  ui.child.kill('SIGTERM');
  await ui.done;
  await loaded.stop();
});
