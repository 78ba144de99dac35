import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Exchange, Sweep } from '../../src/core/index.ts';
import { dyno, emptyFolder, engine, start, summaryOf } from './dyno.ts';
import type { Done, Engine } from './dyno.ts';

let server: Engine | null = null;
afterEach(async () => {
  await server?.stop();
  server = null;
});

const load = ['--max-tokens', '24', '--ignore-eos', '--model', 'any', '--no-preflight', '--devices', 'none'];
const text = (store: string, ...path: string[]): string => {
  try {
    return readFileSync(join(store, ...path), 'utf8');
  } catch {
    return '';
  }
};
const recorded = (store: string, ...run: string[]): Exchange[] =>
  text(store, ...run, 'exchanges.ndjson')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Exchange);
const until = async (ready: () => boolean): Promise<void> => {
  while (!ready()) await new Promise((resolve) => setTimeout(resolve, 10));
};
const lines = (store: string): number => {
  const [run] = readdirSync(store);
  return run === undefined ? 0 : text(store, run, 'exchanges.ndjson').split('\n').length - 1;
};

/** Starts a run of so many asks, ends it in the middle, and starts over with more where it was over before. */
async function brokenOff(
  words: readonly string[],
  fewest: number,
  { at, by }: { at: number; by: 'SIGKILL' | 'SIGINT' },
): Promise<{ store: string; count: number; done: Done }> {
  for (let count = fewest; ; count *= 3) {
    const store = await emptyFolder();
    const running = start([...words, '-n', String(count), '--store', store]);
    await until(() => lines(store) >= at);
    running.child.kill(by);
    const done = await running.done;
    const [run] = readdirSync(store);
    const whole = recorded(store, run!).filter(({ warmup, problem }) => !warmup && problem?.code !== 'not-sent');
    if (whole.length < count) return { store, count, done };
  }
}

/** Every number once, each asking the prompt of its number, and no record of the first part changed. */
function expectWhole(before: readonly Exchange[], after: readonly Exchange[], count: number): void {
  const measured = after.filter(({ warmup }) => !warmup);
  expect(measured.map(({ seq }) => seq).toSorted((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, i) => i));
  expect(measured.every(({ outcome }) => outcome === 'ok')).toBe(true);
  const finished = before.filter(({ outcome }) => outcome === 'ok');
  const kept = new Map(after.map((exchange) => [exchange.seq, exchange]));
  for (const exchange of finished) expect(kept.get(exchange.seq)).toEqual(exchange);
}

describe('dyno run --resume', () => {
  test('killed with kill -9: the rest is asked, nothing twice, one summary over both parts that says so', async () => {
    server = await engine(['--model', 'any', '--speed', '20']);
    const words = ['run', server.url, ...load, '--concurrency', '8', '--warmup', '8'];
    const { store, count } = await brokenOff(words, 400, { at: 120, by: 'SIGKILL' });
    const [id] = readdirSync(store) as [string];
    const before = recorded(store, id);
    const missing = count - before.filter(({ warmup }) => !warmup).length;
    expect(missing).toBeGreaterThan(0);
    const asked = async (): Promise<number> =>
      Number(
        /vllm:request_success_total\{[^}]*\} (\d+)/.exec(await (await fetch(`${server!.url}/metrics`)).text())![1],
      );
    const askedBefore = await asked();
    const done = await dyno(['run', '--resume', 'latest', '--json', '--lenient', '--store', store]);
    expect(done.err).not.toMatch(/error/i);
    const summary = summaryOf(done);
    expect(done.code).toBe(0);
    expect(summary.runId).toBe(id);
    expect(summary.counts).toMatchObject({ planned: count, ok: count, unaccounted: 0 });
    expect(summary.partial).toBe(false);
    expect(summary.resumed).toHaveLength(1);
    expect(summary.resumed![0]!.gapMs).toBeGreaterThanOrEqual(0);
    expect(summary.verdict.findings.map(({ code }) => code)).toContain('resumed-run');
    // Only what had not finished was asked, and the warm-up not again.
    expect((await asked()) - askedBefore).toBeLessThanOrEqual(missing + 8);
    const after = recorded(store, id);
    expectWhole(before, after, count);
    const direct = summaryOf(await dyno(['report', id, '--json', '--store', store]));
    expect(direct.counts).toEqual(summary.counts);
    // The time between the parts is in no figure: the clock goes on where it stood.
    const breakMs = summary.resumed![0]!.atMs;
    const second = after.filter(({ sentMs }) => sentMs !== null && sentMs >= breakMs);
    expect(second).toHaveLength(missing);
    expect(readdirSync(store)).toEqual([id]);
    const again = await dyno(['run', '--resume', id, '--store', store]);
    expect(again.code).toBe(2);
    expect(again.err).toMatch(/is finished/);
  });

  test('stopped with Ctrl-C, over threads, by a schedule: what was not sent is sent', async () => {
    server = await engine(['--model', 'any', '--speed', '50']);
    const words = ['run', server.url, ...load, '--rate', '100', '--threads', '2', '--json'];
    const { store, count, done: first } = await brokenOff(words, 300, { at: 60, by: 'SIGINT' });
    expect(first.code).toBe(130);
    const partial = summaryOf(first);
    expect(partial.counts.cancelled).toBeGreaterThan(0);
    const [id] = readdirSync(store) as [string];
    const before = recorded(store, id);
    const done = await dyno(['run', '--resume', id, '--json', '--lenient', '--store', store]);
    const summary = summaryOf(done);
    expect(done.code).toBe(0);
    expect(summary.counts).toMatchObject({ planned: count, ok: count, cancelled: 0, unaccounted: 0 });
    expectWhole(before, recorded(store, id), count);
    // The schedule goes on: the second part does not send the rest at once.
    const sends = recorded(store, id)
      .filter(({ sentMs }) => sentMs! >= summary.resumed![0]!.atMs)
      .map(({ dueMs }) => dueMs);
    const spanSec = (Math.max(...sends) - Math.min(...sends)) / 1000;
    expect(spanSec).toBeGreaterThan((0.5 * sends.length) / 100);
  });

  test('an unknown run, other settings, and a line cut off', async () => {
    const empty = await emptyFolder();
    server = await engine(['--model', 'any', '--speed', '20']);
    expect((await dyno(['run', '--resume', 'nothing', '--store', empty])).err).toMatch(/no run "nothing"/);
    const words = ['run', server.url, ...load, '--concurrency', '4'];
    const { store, count } = await brokenOff(words, 200, { at: 20, by: 'SIGKILL' });
    const other = await dyno([
      'run',
      '--resume',
      'latest',
      '--concurrency',
      '5',
      '--max-tokens',
      '9',
      '--store',
      store,
    ]);
    expect(other.code).toBe(2);
    expect(other.err).toMatch(/load\.concurrency: 4 → 5/);
    expect(other.err).toMatch(/generation\.maxTokens: 24 → 9/);
    const [id] = readdirSync(store) as [string];
    const file = join(store, id, 'exchanges.ndjson');
    const whole = readFileSync(file, 'utf8');
    writeFileSync(file, whole.slice(0, -40));
    const done = await dyno(['run', '--resume', 'latest', '--json', '--lenient', '--store', store]);
    expect(summaryOf(done).counts).toMatchObject({ planned: count, ok: count, unaccounted: 0 });
    expectWhole([], recorded(store, id), count);
  });
});

test('dyno sweep --resume: finished points are kept, the interrupted one goes on, the rest is measured', async () => {
  server = await engine(['--model', 'any', '--speed', '20']);
  const words = ['sweep', server.url, ...load, '--concurrency', '2,4,8'];
  let store = '';
  const folder = (): string => readdirSync(store)[0] ?? '';
  const points = (): string[] =>
    folder() === '' ? [] : readdirSync(join(store, folder())).filter((n) => !/\./.test(n));
  const inSecond = (): number => (points().length < 2 ? 0 : recorded(store, folder(), points()[1]!).length);
  let count = 40;
  do {
    // More asks, until a busy machine lets us break it off in the middle of its second point.
    count *= 3;
    store = await emptyFolder();
    const running = start([...words, '-n', String(count), '--store', store]);
    await until(() => inSecond() >= 20);
    running.child.kill('SIGKILL');
    await running.done;
  } while (inSecond() === count);
  const [first, second] = points() as [string, string];
  const firstFile = text(store, folder(), first, 'exchanges.ndjson');
  const before = recorded(store, folder(), second);
  const done = await dyno(['sweep', '--resume', 'latest', '--json', '--lenient', '--store', store]);
  expect(done.code).toBe(0);
  const sweep = JSON.parse(done.out) as Sweep;
  expect(sweep.id).toBe(folder());
  expect(sweep.points.map(({ load: { concurrency }, counts: { ok } }) => [concurrency, ok])).toEqual([
    [2, count],
    [4, count],
    [8, count],
  ]);
  expect(sweep.points.map(({ resumed }) => resumed?.length ?? 0)).toEqual([0, 1, 0]);
  expect(points()).toHaveLength(3);
  expect(text(store, folder(), first, 'exchanges.ndjson')).toBe(firstFile);
  expectWhole(before, recorded(store, folder(), second), count);
  const again = await dyno(['sweep', '--resume', 'latest', '--store', store]);
  expect([again.code, /is finished/.test(again.err)]).toEqual([2, true]);
});
