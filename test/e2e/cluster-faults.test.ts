import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveWorker } from '../../src/client/cluster/index.ts';
import { startRedis } from '../contract/redis-server.ts';
import type { RedisServer } from '../contract/redis-server.ts';
import { mostAtOnce } from '../contract/most-at-once.ts';
import { booksOf, cuttableProxy, dismiss, lostSoon, recordsIn, startWorker, untilDue, untilRecords } from './crew.ts';
import { emptyFolder, engine, start } from './dyno.ts';
import type { Engine, Running } from './dyno.ts';

const long = process.env['LLMDYNO_LONG'] === '1';

let redis: RedisServer;
let server: Engine;
beforeAll(async () => {
  redis = await startRedis();
  server = await engine(['--speed', '10']);
});
afterAll(async () => {
  await server.stop();
  await redis.close();
});

/** A queue of the test's own, and workers that end with it. */
interface LoadThreads {
  queue: string;
  enlist(
    name: string,
    options?: { env?: Record<string, string>; flags?: readonly string[] },
    url?: string,
  ): Promise<Running>;
}

let queues = 0;
/** Most of a test is waiting, so that several run side by side, each with a crew of its own. */
const crewed = (body: (crew: LoadThreads) => Promise<void>) => async (): Promise<void> => {
  const queue = `faults-${queues++}`;
  const workers: Running[] = [];
  const enlist: LoadThreads['enlist'] = async (name, options = {}, url = redis.url) => {
    const worker = await startWorker(url, queue, name, options);
    workers.push(worker);
    return worker;
  };
  try {
    await body({ queue, enlist });
  } finally {
    await dismiss(workers);
  }
};
/** Three workers, the first of which will meet its fate. */
const three = async ({ enlist }: LoadThreads): Promise<Running> => {
  const [first] = await Promise.all([enlist('a', { flags: lostSoon }), enlist('b'), enlist('c')]);
  return first!;
};

/** A run under way, with its store. */
async function startRun(
  queue: string,
  flags: readonly string[],
  url = redis.url,
): Promise<{ run: Running; store: string }> {
  const store = await emptyFolder();
  const words = ['--workers', url, '--queue', queue, '--store', store, '--json', '--no-text', '--ignore-eos'];
  return { run: start(['run', server.url, ...words, '--max-tokens', '64', ...flags]), store };
}

/** Long enough that something can break in the middle of it. */
const closed = ['--concurrency', '12', '-n', long ? '2000' : '500', '--min-workers', '3'];

describe.concurrent('whatever breaks, every planned request has one record and the right cause', () => {
  test(
    'a worker that is frozen for 20 seconds and wakes again: what it says late is not counted',
    crewed(async (crew) => {
      const frozen = await three(crew);
      const { run, store } = await startRun(crew.queue, ['--rate', '20', '--duration', '25s', '--min-workers', '3']);
      await untilRecords(store, 20, run);
      const before = (await recordsIn(store)).map(({ dueMs }) => dueMs);
      frozen.child.kill('SIGSTOP');
      await run.until('err', /worker a is lost/);
      await untilDue(store, Math.max(...before) + 20_000, run);
      frozen.child.kill('SIGCONT');
      await frozen.until('err', /silent for too long/);
      const { summary, problems } = await booksOf(store, await run.done);
      expect(problems).toEqual([]);
      expect(summary.counts.byProblem['lost-with-worker']).toBeGreaterThan(0);
      expect(Object.keys(summary.counts.byProblem)).toEqual(['lost-with-worker']);
      expect(summary.workers!.find(({ name }) => name === 'a')!.state).toBe('lost');
      // Its part of the schedule is the others' from the moment it was given up: all of it is asked, at its time.
      const records = await recordsIn(store);
      const gone = records.filter(({ problem }) => problem?.code === 'lost-with-worker').map(({ dueMs }) => dueMs);
      // It was given up long before it woke.
      expect(Math.max(...gone)).toBeLessThan(Math.max(...before) + 20_000);
      expect(records.filter(({ dueMs, outcome }) => dueMs > Math.max(...gone) && outcome !== 'ok')).toEqual([]);
    }),
  );

  test(
    'a worker that is killed: its requests are lost with it, its part goes to the others',
    crewed(async (crew) => {
      const { queue } = crew;
      const doomed = await three(crew);
      const { run, store } = await startRun(queue, closed);
      await untilRecords(store, 60, run);
      doomed.child.kill('SIGKILL');
      const done = await run.done;
      const { summary, problems } = await booksOf(store, done);
      expect(problems).toEqual([]);
      expect(done.err).toMatch(/worker a is lost; requests lost with it: \d+/);
      const { counts, workers: shares } = summary;
      expect(counts.byProblem['lost-with-worker']).toBeGreaterThan(0);
      expect(counts.ok + counts.byProblem['lost-with-worker']!).toBe(counts.planned);
      // At most its four slots and what it had taken ahead of need.
      expect(counts.byProblem['lost-with-worker']).toBeLessThanOrEqual(8);
      expect(shares!.map(({ name, state }) => `${name} ${state}`)).toEqual(['a lost', 'b stayed', 'c stayed']);
      expect(summary.verdict.findings.map(({ code }) => code)).toContain('lost-with-worker');
      // The others, who had eight slots, hold its slots too in the end.
      const others = (await recordsIn(store)).filter(({ labels }) => labels['worker'] !== 'a');
      expect(mostAtOnce(others.map(({ sentMs, endMs }) => [sentMs!, endMs]))).toBeGreaterThan(8);
    }),
  );

  test(
    'with --resend they are sent again by the others, and none is lost',
    crewed(async (crew) => {
      const { queue } = crew;
      const doomed = await three(crew);
      const { run, store } = await startRun(queue, [...closed, '--resend']);
      await untilRecords(store, 60, run);
      doomed.child.kill('SIGKILL');
      const { summary, problems } = await booksOf(store, await run.done);
      expect(problems).toEqual([]);
      expect(summary.counts).toMatchObject({ ok: summary.counts.planned, cancelled: 0 });
    }),
  );

  test(
    'an open loop goes on at its times: only what the lost worker had before it was noticed is lost',
    crewed(async (crew) => {
      const { queue } = crew;
      const doomed = await three(crew);
      const { run, store } = await startRun(queue, ['--rate', '60', '-n', '420', '--min-workers', '3']);
      await untilRecords(store, 60, run);
      doomed.child.kill('SIGKILL');
      const { summary, problems } = await booksOf(store, await run.done);
      expect(problems).toEqual([]);
      const lost = summary.counts.byProblem['lost-with-worker']!;
      expect(lost).toBeGreaterThan(0);
      expect(summary.counts.ok).toBe(420 - lost);
      const records = await recordsIn(store);
      const gone = records.filter(({ problem }) => problem?.code === 'lost-with-worker');
      // Each third of the schedule is its own, and its asks are lost for one stretch of time only.
      expect(new Set(gone.map(({ labels }) => labels['worker']))).toEqual(new Set(['a']));
      const last = Math.max(...gone.map(({ dueMs }) => dueMs));
      expect(records.filter(({ dueMs, outcome }) => dueMs > last && outcome !== 'ok')).toEqual([]);
    }),
  );

  test(
    'a worker whose network is cut: lost to the run, and back in it once the cable is mended',
    crewed(async (crew) => {
      const { queue } = crew;
      const proxy = await cuttableProxy(redis.port);
      const cut = await crew.enlist('a', { flags: lostSoon }, `redis://127.0.0.1:${proxy.port}`);
      await crew.enlist('b');
      await crew.enlist('c');
      const { run, store } = await startRun(queue, ['--concurrency', '12', '--duration', '150s', '--min-workers', '3']);
      await untilRecords(store, 60, run);
      proxy.cut();
      await run.until('err', /worker a is lost/);
      proxy.mend();
      await cut.until('err', /silent for too long/);
      await run.until('err', /worker a joined/);
      run.child.kill('SIGINT');
      const { summary, problems } = await booksOf(store, await run.done);
      await proxy.close();
      expect(problems).toEqual([]);
      expect(summary.counts.byProblem['lost-with-worker']).toBeGreaterThan(0);
      expect(Object.keys(summary.counts.byProblem)).toEqual(['lost-with-worker']);
    }),
  );

  test(
    'Redis is restarted with what it kept: everyone goes on, and nothing is lost',
    crewed(async (crew) => {
      const { queue } = crew;
      const own = await startRedis();
      await crew.enlist('a', {}, own.url);
      await crew.enlist('b', {}, own.url);
      const { run, store } = await startRun(queue, ['--concurrency', '12', '-n', '600', '--min-workers', '2'], own.url);
      await untilRecords(store, 60, run);
      await own.halt('SIGKILL');
      await run.until('err', /Redis does not answer/);
      await own.again();
      await run.until('err', /Redis is back/);
      const { summary, problems } = await booksOf(store, await run.done);
      await own.close();
      expect(problems).toEqual([]);
      expect(summary.counts).toMatchObject({ ok: 600, planned: 600 });
    }),
  );

  test(
    'Redis is gone for good: the run ends with what was received, and says so',
    crewed(async (crew) => {
      const { queue } = crew;
      const own = await startRedis();
      await crew.enlist('a', {}, own.url);
      await crew.enlist('b', {}, own.url);
      const flags = ['--concurrency', '12', '-n', '5000', '--min-workers', '2', '--redis-wait', '2s'];
      const { run, store } = await startRun(queue, flags, own.url);
      await untilRecords(store, 60, run);
      await own.close();
      const done = await run.done;
      const { summary, problems } = await booksOf(store, done);
      expect(problems).toEqual([]);
      expect(done.err).toMatch(/Redis is gone for good/);
      expect(summary.counts.planned).toBe(5000);
      expect(summary.counts.ok).toBeGreaterThanOrEqual(60);
      expect(Object.keys(summary.counts.byProblem).toSorted()).toEqual(['lost-with-redis', 'not-sent']);
      expect(done.code).toBe(5);
    }),
  );

  test(
    'the controller is killed and started again with --resume: workers went on, and nothing is lost or asked twice',
    crewed(async (crew) => {
      const { queue } = crew;
      await crew.enlist('a');
      await crew.enlist('b');
      const { run, store } = await startRun(queue, ['--concurrency', '8', '-n', '500', '--min-workers', '2']);
      await untilRecords(store, 60, run);
      run.child.kill('SIGKILL');
      await run.done;
      const before = (await recordsIn(store)).length;
      const again = start(['run', '--resume', 'latest', '--store', store, '--json']);
      const { summary, problems } = await booksOf(store, await again.done);
      expect(problems).toEqual([]);
      expect(before).toBeLessThan(500);
      expect(summary.counts).toMatchObject({ planned: 500, ok: 500 });
      expect(summary.workers!.map(({ name, state }) => `${name} ${state}`)).toEqual(['a stayed', 'b stayed']);
    }),
  );

  test(
    'what a killed controller left in the queue is in the way of a new run, and is told; --clear-queue takes it away',
    crewed(async (crew) => {
      const { queue } = crew;
      await crew.enlist('a');
      const { run, store } = await startRun(queue, ['--concurrency', '4', '-n', '2000', '--min-workers', '1']);
      await untilRecords(store, 20, run);
      run.child.kill('SIGKILL');
      await run.done;
      const refused = await (await startRun(queue, ['-n', '10'])).run.done;
      expect(refused.code).toBe(2);
      expect(refused.err).toMatch(/still holds a run begun .* whose controller is gone/);
      expect(refused.err).toMatch(/--resume RUN .*--clear-queue/);
      const cleared = await startRun(queue, ['--concurrency', '4', '-n', '40', '--clear-queue']);
      const { summary, problems } = await booksOf(cleared.store, await cleared.run.done);
      expect(problems).toEqual([]);
      expect(summary.counts.ok).toBe(40);
    }),
  );

  test(
    'a worker that is told to go drains what it has and hands the rest back',
    crewed(async (crew) => {
      const { queue } = crew;
      const going = await crew.enlist('a');
      await crew.enlist('b');
      const { run, store } = await startRun(queue, ['--concurrency', '8', '-n', '300', '--min-workers', '2']);
      await untilRecords(store, 60, run);
      going.child.kill('SIGTERM');
      expect((await going.done).code).toBe(0);
      const { summary, problems } = await booksOf(store, await run.done);
      expect(problems).toEqual([]);
      expect(summary.counts).toMatchObject({ ok: 300, planned: 300 });
      expect(summary.workers!.map(({ name, state }) => `${name} ${state}`)).toEqual(['a left', 'b stayed']);
    }),
  );

  test(
    'a worker that comes later takes a part, and a closed loop is never above its concurrency',
    crewed(async (crew) => {
      const { queue } = crew;
      await crew.enlist('a');
      // So many that the newcomer is in time, however long it takes to start; the rest is not asked.
      const { run, store } = await startRun(queue, ['--concurrency', '8', '-n', '20000', '--min-workers', '1']);
      await untilRecords(store, 40, run);
      await crew.enlist('b');
      await untilRecords(store, 20, run, ({ labels }) => labels['worker'] === 'b');
      run.child.kill('SIGINT');
      const { summary, problems } = await booksOf(store, await run.done);
      expect(problems).toEqual([]);
      expect(Object.keys(summary.counts.byProblem)).toEqual(['not-sent']);
      const sent = (await recordsIn(store)).filter(({ sentMs }) => sentMs !== null);
      expect(mostAtOnce(sent.map(({ sentMs, endMs }) => [sentMs!, endMs]))).toBe(8);
    }),
  );

  test(
    'conversations: each belongs to one worker; with one that is killed only its own are lost, and one that goes finishes them',
    crewed(async (crew) => {
      const killed = await three(crew);
      const going = await crew.enlist('d');
      const dir = await emptyFolder();
      const turns = [3, 1, 4, 2, 5];
      const talks = Array.from({ length: 100 }, (_, number) =>
        Array.from({ length: turns[number % turns.length]! }, (__, turn) => [
          { from: 'human', value: `talk ${number}, question ${turn}` },
          { from: 'gpt', value: 'an answer' },
        ]).flat(),
      );
      await writeFile(
        join(dir, 'talks.jsonl'),
        talks.map((conversations) => `${JSON.stringify({ conversations })}\n`).join(''),
      );
      const dataset = ['--dataset', `sharegpt-chat:${join(dir, 'talks.jsonl')}`, '--think-time', '50ms'];
      const load = ['--concurrency', '12', '-n', '300', '--min-workers', '4'];
      const { run, store } = await startRun(crew.queue, [...load, ...dataset]);
      await untilRecords(store, 40, run);
      killed.child.kill('SIGKILL');
      going.child.kill('SIGTERM');
      expect((await going.done).code).toBe(0);
      const { summary, problems } = await booksOf(store, await run.done);
      expect(problems).toEqual([]);
      const { planned, ok, byProblem } = summary.counts;
      expect(planned).toBe(300);
      expect(Object.keys(byProblem)).toEqual(['lost-with-worker']);
      expect(ok + byProblem['lost-with-worker']!).toBe(planned);
      expect(summary.workers!.map(({ name, state }) => `${name} ${state}`)).toEqual([
        'a lost',
        'b stayed',
        'c stayed',
        'd left',
      ]);
      const records = await recordsIn(store);
      const sent = records.filter(({ sentMs }) => sentMs !== null);
      const holders = new Map<string, Set<string>>();
      for (const { labels } of sent)
        holders.set(labels['session']!, (holders.get(labels['session']!) ?? new Set()).add(labels['worker']!));
      expect([...holders.values()].filter(({ size }) => size > 1)).toEqual([]);
      // Whoever stayed or went in peace held every conversation that it began to its end: three of the killed one's
      // could be under way, and four more taken ahead of need.
      expect(byProblem['lost-with-worker']).toBeLessThanOrEqual(7 * 5);
      for (const [session, [worker]] of [...holders].map(([name, who]) => [name, [...who]] as const)) {
        if (worker === 'a') continue;
        const line = Number(/\d+$/.exec(session)![0]);
        const asked = sent.filter(({ labels }) => labels['session'] === session);
        expect([session, asked.length]).toEqual([session, turns[(line - 1) % turns.length]]);
      }
    }),
  );

  test(
    'a second controller on the same queue is refused and told who has it; the first is not disturbed',
    crewed(async (crew) => {
      const { queue } = crew;
      await crew.enlist('a');
      const { run, store } = await startRun(queue, ['--concurrency', '4', '-n', '20000', '--min-workers', '1']);
      await untilRecords(store, 20, run);
      const second = await startRun(queue, ['--concurrency', '4', '-n', '10']);
      const refused = await second.run.done;
      expect(refused.code).toBe(2);
      expect(refused.err).toMatch(new RegExp(`queue "${queue}" .* is in use by a run on .*process ${run.child.pid}`));
      const then = (await recordsIn(store)).length;
      await untilRecords(store, then + 20, run);
      run.child.kill('SIGINT');
      const { summary, problems } = await booksOf(store, await run.done);
      expect(problems).toEqual([]);
      expect(Object.keys(summary.counts.byProblem)).toEqual(['not-sent']);
    }),
  );

  test(
    'a worker of another llmdyno is refused on both sides, in words',
    crewed(async (crew) => {
      const { queue } = crew;
      const other = await serveWorker({
        place: { url: redis.url, user: null, password: null, ca: null },
        queue,
        version: '9.9.9',
        name: 'stranger',
        labels: {},
        lostAfterMs: 2000,
        orphanAfterMs: 2000,
        equip: () => Promise.reject(new Error('it is given nothing to do')),
        tell: () => {},
      });
      const { run, store } = await startRun(queue, ['--concurrency', '4', '-n', '20', '--min-workers', '1']);
      await expect(other.failed).rejects.toMatchObject({
        mistakes: [{ code: 'other-version', message: { en: expect.stringContaining('this worker is llmdyno 9.9.9') } }],
      });
      await run.until('err', /not used, other version \(here: llmdyno [\d.]+\): stranger \(llmdyno 9\.9\.9\)/);
      await other.leave();
      await crew.enlist('a');
      const { summary, problems } = await booksOf(store, await run.done);
      expect(problems).toEqual([]);
      expect(summary.workers!.map(({ name }) => name)).toEqual(['a']);
    }),
  );

  test(
    'a worker whose wall clock is wrong by five minutes sends at the right times',
    crewed(async (crew) => {
      const { queue } = crew;
      // Whatever asks for the date in that process gets one that is five minutes ahead.
      const shift = `const { now } = Date; const shifted = () => now() + 300000; Date.now = shifted;
      globalThis.Date = new Proxy(Date, { construct: (of, args) => (args.length ? new of(...args) : new of(shifted())) });`;
      await crew.enlist('a', {
        env: { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(shift)}` },
      });
      await crew.enlist('b');
      const { run, store } = await startRun(queue, [
        '--rate',
        '50',
        '-n',
        '150',
        '--arrival',
        'constant',
        '--min-workers',
        '2',
      ]);
      const { summary, problems } = await booksOf(store, await run.done);
      expect(problems).toEqual([]);
      expect(summary.counts.ok).toBe(150);
      const records = (await recordsIn(store)).toSorted((x, y) => x.dueMs - y.dueMs);
      // Every 20 ms one, in turn by each of the two.
      const gaps = records.slice(1).map(({ dueMs }, i) => dueMs - records[i]!.dueMs);
      for (const gap of gaps) expect(gap).toBeCloseTo(20, 3);
      expect(new Set(records.map(({ labels }) => labels['worker']))).toEqual(new Set(['a', 'b']));
      // A clock that was believed would be wrong by 300,000; a busy machine is late by less.
      for (const { clockErrorMs } of summary.workers!) expect(clockErrorMs).toBeLessThan(5000);
      expect(Math.max(...records.map(({ sentMs, dueMs }) => sentMs! - dueMs))).toBeLessThan(60_000);
    }),
  );
});
