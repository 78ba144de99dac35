import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Exchange, Summary, Sweep } from '../../src/core/index.ts';
import { dyno, emptyFolder, engine, start, summaryOf } from './dyno.ts';
import type { Engine } from './dyno.ts';
import { serve } from './serve.ts';

const page = ['--model', 'm', '--no-preflight', '--metrics', 'none', '--devices', 'none', '--lenient'];

/** Takes requests and never answers. */
let silent: Server;
let silentUrl: string;
let real: Engine;
beforeAll(async () => {
  silent = createServer((request) => void request.resume());
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  real = await engine(['--model', 'm', '--speed', '20']);
});
afterAll(async () => {
  silent.closeAllConnections();
  silent.close();
  await real.stop();
});

const readJson = <Shape>(...path: string[]): Shape => JSON.parse(readFileSync(join(...path), 'utf8')) as Shape;
const folders = (store: string): string[] => readdirSync(store).filter((name) => /^\d{8}-/.test(name));
async function until<Value>(look: () => Value | null | Promise<Value | null>): Promise<Value> {
  for (;;) {
    const seen = await Promise.resolve()
      .then(look)
      .catch(() => null);
    if (seen !== null) return seen;
    await pause(20);
  }
}

interface Job {
  job: string;
  id: string | null;
  exitCode: number | null;
  said: string;
}

/** The API of a page over a store, as its browser would call it. */
async function pageOver(store: string): Promise<{
  startRun(command: 'run' | 'sim', words: Record<string, string | boolean>, url?: string): Promise<Job>;
  job(name: string): Promise<Job>;
  stop(id: string): Promise<void>;
  close(): Promise<void>;
}> {
  const ui = await serve(store);
  const { origin, searchParams } = new URL(ui.url);
  const headers = {
    authorization: `Bearer ${searchParams.get('token')}`,
    'content-type': 'application/json',
    'x-llmdyno': '1',
  };
  const call = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const answer = await fetch(`${origin}/api/v1${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  return {
    startRun: (command, words, url) => call('POST', '/start', { command, url: url ?? null, words }) as Promise<Job>,
    job: (name) => call('GET', `/jobs/${name}`) as Promise<Job>,
    stop: async (id) => void (await call('POST', `/runs/${id}/stop`, {})),
    close: () => ui.stop(),
  };
}

describe('an experiment of the page tells its own id', () => {
  test('two runs that wait for ever and an import in between: each job is shown its own run', async () => {
    const store = await emptyFolder();
    const api = await pageOver(store);
    const words = { model: 'm', 'no-preflight': true, concurrency: '1', requests: '1', 'max-tokens': '4' };
    const first = await api.startRun('run', { ...words, label: 'first' }, silentUrl);
    const table = join(await emptyFolder(), 'table.md');
    writeFileSync(table, '| 并发 | 吞吐量 |\n|---|---|\n| 8 | 100 |\n| 16 | 150 |\n');
    const imported = await dyno(['import', table, '--store', store, '--quiet']);
    expect(imported.code).toBe(0);
    const second = await api.startRun('run', { ...words, label: 'second' }, silentUrl);
    const ids = await Promise.all([first, second].map(({ job }) => until(async () => (await api.job(job)).id)));
    const labels = ids.map((id) => readJson<{ plan: { label: string } }>(store, id, 'plan.json').plan.label);
    expect(labels).toEqual(['first', 'second']);
    for (const id of ids) await api.stop(id);
    // A stop waits for answers that are under way, and none ever comes: the connections end, those that are still to be made too.
    const exitOf = async (job: string): Promise<number | null> => {
      silent.closeAllConnections();
      return (await api.job(job)).exitCode;
    };
    for (const { job } of [first, second]) await until(() => exitOf(job));
    await api.close();
  });

  test('a simulation that is stopped ends, is kept with what it had, and says that it was stopped', async () => {
    const store = await emptyFolder();
    const api = await pageOver(store);
    const { job } = await api.startRun('sim', { concurrency: '64', requests: '400000', 'max-tokens': '64' });
    const id = await until(async () => (await api.job(job)).id);
    await api.stop(id);
    expect(await until(async () => (await api.job(job)).exitCode)).toBe(130);
    const summary = readJson<Summary>(store, id, 'summary.json');
    expect(summary.partial).toBe(true);
    expect(summary.counts.ok).toBeLessThan(400_000);
    await api.close();
  });

  test('settings that no server can be asked with are told by the job, and nothing is left in the store', async () => {
    const store = await emptyFolder();
    const api = await pageOver(store);
    const { job } = await api.startRun('run', { requests: '1' }, 'http://127.0.0.1:9');
    expect(await until(async () => (await api.job(job)).exitCode)).toBe(3);
    expect((await api.job(job)).said).toMatch(/127\.0\.0\.1:9/);
    expect(folders(store)).toEqual([]);
    await api.close();
  });
});

describe('what was begun goes on where it stopped', () => {
  test('a search that was interrupted is the same search when it is resumed', async () => {
    const store = await emptyFolder();
    const words = ['sweep', real.url, ...page, '--find', 'max', '--slo', 'failed<1%', '--concurrency', '1,8'];
    const begun = start([...words, '-n', '60', '--max-tokens', '24', '--ignore-eos', '--store', store]);
    const sweepOf = (): string => join(store, folders(store)[0]!);
    const points = (): string[] => folders(sweepOf());
    await until(() => (readJson<{ points: string[] }>(sweepOf(), 'sweep.json').points.length >= 2 ? true : null));
    begun.child.kill('SIGKILL');
    await begun.done;
    const before = points().filter((point) => readdirSync(join(sweepOf(), point)).includes('summary.json'));
    const known = before.map((point) => readFileSync(join(sweepOf(), point, 'summary.json'), 'utf8'));
    const done = await dyno(['sweep', '--resume', 'latest', '--json', '--store', store]);
    expect(done.err).not.toMatch(/error/i);
    expect(done.code).toBe(0);
    expect(folders(store)).toHaveLength(1);
    const told = JSON.parse(done.out) as Sweep & { found: { value: number; confirmed: boolean } };
    expect(told.found).toMatchObject({ value: 8, confirmed: true });
    expect(told.points).toHaveLength(points().length);
    expect(before.map((point) => readFileSync(join(sweepOf(), point, 'summary.json'), 'utf8'))).toEqual(known);
  });

  test('--resume of a run that still runs is refused with who holds it, and exactly the plan is asked', async () => {
    const store = await emptyFolder();
    const words = ['run', real.url, ...page, '--concurrency', '4', '--max-tokens', '24', '--ignore-eos'];
    const running = start([...words, '-n', '600', '--store', store]);
    const id = await until(() => folders(store)[0] ?? null);
    await until(() => (readFileSync(join(store, id, 'exchanges.ndjson'), 'utf8').length > 0 ? true : null));
    const second = await dyno(['run', '--resume', 'latest', '--store', store]);
    expect(second.code).toBe(2);
    expect(second.err).toContain(`process ${running.child.pid}`);
    expect((await running.done).code).toBe(0);
    const asked = readFileSync(join(store, id, 'exchanges.ndjson'), 'utf8')
      .trimEnd()
      .split('\n');
    expect(asked.map((line) => (JSON.parse(line) as Exchange).seq).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 600 }, (_, seq) => seq),
    );
    expect(readdirSync(join(store, id))).not.toContain('lock.json');
  });

  test('of two that resume a killed run at once one goes on, and exactly the plan is asked', async () => {
    const store = await emptyFolder();
    const words = ['run', real.url, ...page, '--concurrency', '4', '--max-tokens', '24', '--ignore-eos'];
    const running = start([...words, '-n', '400', '--store', store]);
    const id = await until(() => folders(store)[0] ?? null);
    await until(() => (readFileSync(join(store, id, 'exchanges.ndjson'), 'utf8').length > 0 ? true : null));
    running.child.kill('SIGKILL');
    await running.done;
    const both = await Promise.all([1, 2].map(() => dyno(['run', '--resume', id, '--json', '--store', store])));
    const codes = both.map(({ code }) => code).toSorted((a, b) => a! - b!);
    expect(codes).toEqual([0, 2]);
    const summary = summaryOf(both.find(({ code }) => code === 0)!);
    expect(summary.counts.ok).toBe(400);
    const records = readFileSync(join(store, id, 'exchanges.ndjson'), 'utf8')
      .trimEnd()
      .split('\n');
    expect(records).toHaveLength(400);
  });
});

describe('signals', () => {
  test.each(['SIGTERM', 'SIGHUP'] as const)(
    '%s cancels what is in flight, keeps what was answered, prints the summary and ends with 130',
    async (signal) => {
      const store = await emptyFolder();
      const words = ['run', real.url, ...page, '--concurrency', '4', '--max-tokens', '24', '--ignore-eos', '--json'];
      const running = start([...words, '-n', '100000', '--store', store]);
      const id = await until(() => folders(store)[0] ?? null);
      await until(() => (readFileSync(join(store, id, 'exchanges.ndjson'), 'utf8').length > 2000 ? true : null));
      running.child.kill(signal);
      const done = await running.done;
      expect(done.code).toBe(130);
      const summary = summaryOf(done);
      expect(summary.counts.ok).toBeGreaterThan(0);
      expect(summary).toEqual(readJson<Summary>(store, id, 'summary.json'));
      expect(summary.partial).toBe(true);
    },
  );
});

test("a tune's simulated trials tell what limited the engine, as dyno sim does", async () => {
  const store = await emptyFolder();
  const init = await dyno(['tune', '--init', 'mindie']);
  const file = join(await emptyFolder(), 'tune.yaml');
  writeFileSync(file, init.out);
  const words = ['tune', file, '--simulate', 'qwen1.5-7b-mindie-8x910b4', '--runs', '2'];
  const done = await dyno([...words, '--store', store, '--json']);
  expect(done.err).not.toMatch(/error/i);
  const tune = join(store, folders(store)[0]!);
  expect(folders(tune).length).toBeGreaterThan(0);
  for (const trial of folders(tune))
    expect(readJson<Summary>(tune, trial, 'summary.json').server?.['saturation']).toEqual(expect.any(String));
});
