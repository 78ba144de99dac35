import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Exchange, Summary } from '../../src/core/index.ts';
import { mostAtOnce } from '../contract/most-at-once.ts';
import { freePort, startRedis } from '../contract/redis-server.ts';
import type { RedisServer } from '../contract/redis-server.ts';
import { booksOf, dismiss, recordsIn, startWorker } from './crew.ts';
import { dyno, emptyFolder, engine, start } from './dyno.ts';
import type { Engine, Running } from './dyno.ts';

let redis: RedisServer;
let server: Engine;
const workers: Running[] = [];
beforeAll(async () => {
  redis = await startRedis();
  server = await engine(['--speed', '5']);
});
afterAll(async () => {
  await dismiss(workers);
  await server.stop();
  await redis.close();
});

const measure = async (
  queue: string,
  count: number,
  flags: readonly string[],
): Promise<{ summary: Summary; records: Exchange[]; store: string }> => {
  for (let i = 0; i < count; i++) workers.push(await startWorker(redis.url, queue, `w${i}`));
  const store = await emptyFolder();
  const words = ['--workers', redis.url, '--queue', queue, '--min-workers', String(count), '--store', store];
  const done = await dyno(['run', server.url, ...words, '--json', '--ignore-eos', '--max-tokens', '32', ...flags]);
  const { summary, problems } = await booksOf(store, done);
  expect(problems).toEqual([]);
  await dismiss(workers.splice(0));
  return { summary, store, records: (await recordsIn(store)).toSorted((a, b) => a.seq - b.seq) };
};

describe('the same plan and seed on one worker and on four', () => {
  test('an open loop: the same asks at the same times, the same outcome', async () => {
    const flags = ['--rate', '60', '-n', '240', '--seed', '9', '--dataset', 'random', '--input-tokens', '10..50'];
    const one = await measure('one', 1, flags);
    const four = await measure('four', 4, flags);
    const asks = (records: Exchange[]): unknown[] =>
      records.map(({ seq, promptId, inputChars }) => [seq, promptId, inputChars]);
    expect(asks(four.records)).toEqual(asks(one.records));
    // A schedule is absolute, so each due time is the same to the rounding of the record, whatever the clocks say.
    const times = (records: Exchange[]): number[] => records.map(({ dueMs }) => dueMs - records[0]!.dueMs);
    for (const [i, time] of times(four.records).entries()) expect(time).toBeCloseTo(times(one.records)[i]!, 2);
    expect(new Set(four.records.map(({ labels }) => labels['worker']))).toEqual(new Set(['w0', 'w1', 'w2', 'w3']));
    expect(four.summary.counts).toEqual(one.summary.counts);
    expect(four.summary.counts.ok).toBe(240);
    expect(four.summary.outputTokens!.mean).toBe(one.summary.outputTokens!.mean);
    const ratio = four.summary.requestsPerSec! / one.summary.requestsPerSec!;
    // Neither a worker's part alone nor every worker's for the whole.
    expect(ratio).toBeGreaterThan(0.3);
    expect(ratio).toBeLessThan(3);
  });

  test('a closed loop: the same asks, the concurrency that was asked for and never more', async () => {
    const flags = [
      '--concurrency',
      '16',
      '-n',
      '320',
      '--warmup',
      '16',
      '--dataset',
      'random',
      '--input-tokens',
      '20',
      '--seed',
      '3',
    ];
    const one = await measure('closed-one', 1, flags);
    const four = await measure('closed', 4, flags);
    const asks = (records: Exchange[]): unknown[] =>
      records.map(({ seq, warmup, promptId, inputChars }) => [seq, warmup, promptId, inputChars]);
    expect(asks(four.records)).toEqual(asks(one.records));
    expect(four.summary.counts).toEqual(one.summary.counts);
    expect(four.summary.counts).toMatchObject({ planned: 320, ok: 320 });
    const measured = four.records.filter(({ warmup }) => !warmup);
    expect(measured.map(({ seq }) => seq)).toEqual(Array.from({ length: 320 }, (_, i) => i));
    expect(mostAtOnce(measured.map(({ sentMs, endMs }) => [sentMs!, endMs]))).toBe(16);
    expect(four.summary.workers!.map(({ state }) => state)).toEqual(['stayed', 'stayed', 'stayed', 'stayed']);
    for (const { name, exchanges, ok, failed } of four.summary.workers!) {
      expect(exchanges).toBe(measured.filter(({ labels }) => labels['worker'] === name).length);
      expect([ok, failed]).toEqual([exchanges, 0]);
    }
    expect(four.summary.workers!.reduce((sum, { exchanges }) => sum + exchanges, 0)).toBe(320);
    const shown = await dyno(['report', 'latest', '--per-worker', '--store', four.store]);
    for (const { name, ok } of four.summary.workers!)
      expect(shown.out).toMatch(new RegExp(`^${name} +stayed +[\\d.]+ % +${ok} +0 +0 `, 'm'));
  });

  test('a sweep keeps its workers from point to point, each point with prompts of its own', async () => {
    workers.push(await startWorker(redis.url, 'sweep', 'a'), await startWorker(redis.url, 'sweep', 'b'));
    const store = await emptyFolder();
    const team = ['--workers', redis.url, '--queue', 'sweep', '--min-workers', '2', '--store', store];
    const words = ['sweep', server.url, '--concurrency', '2,8', '-n', '40', '--max-tokens', '16', '--ignore-eos'];
    const done = await dyno([...words, '--json', ...team]);
    const { points } = JSON.parse(done.out) as { points: Summary[] };
    expect(points.map(({ counts }) => [counts.planned, counts.ok])).toEqual([
      [40, 40],
      [40, 40],
    ]);
    expect(points.map((point) => point.workers!.length)).toEqual([2, 2]);
    await dismiss(workers.splice(0));
  });
});

describe('what only needs CPU, on the workers', () => {
  const words = ['sim', '--concurrency', '4,16,64', '-n', '200', '--dataset', 'random', '--input-tokens', '50..200'];
  const team = (queue: string): string[] => ['--workers', redis.url, '--queue', queue];

  test('a simulated sweep and its fit are the same as on this machine, to the last digit', async () => {
    workers.push(await startWorker(redis.url, 'cpu', 'a'), await startWorker(redis.url, 'cpu', 'b'));
    const store = await emptyFolder();
    const alone = await dyno([...words, '--json', '--store', store]);
    const together = await dyno([...words, '--json', ...team('cpu'), '--store', await emptyFolder()]);
    const figures = ({ out }: { out: string }): unknown[] =>
      (JSON.parse(out) as { points: Summary[] }).points.map(
        ({ counts, durationMs, latencyMs, ttftMs, server: engineSaid }) => [
          counts,
          durationMs,
          latencyMs,
          ttftMs,
          engineSaid,
        ],
      );
    expect(figures(together)).toEqual(figures(alone));
    expect(figures(alone)).toHaveLength(3);
    const fit = ['fit', 'latest', '--store', store];
    const here = await dyno([...fit, '--json']);
    const there = await dyno([...fit, '--json', ...team('cpu')]);
    expect(there.err).toMatch(/computed by the workers on redis:/);
    expect(there.out).toBe(here.out);
    expect((JSON.parse(here.out) as { sweeps: unknown[] }).sweeps).toHaveLength(1);
    await dismiss(workers.splice(0));
  });

  test('a worker that is killed in the middle: the work is done here, and that is told', async () => {
    const store = await emptyFolder();
    const doomed = await startWorker(redis.url, 'doomed', 'a');
    workers.push(doomed);
    // Enough that it is not done before the worker is gone.
    const long = words.map((word) => (word === '200' ? '1500' : word));
    const running = start([...long, '--json', ...team('doomed'), '--store', store]);
    await doomed.until('err', /computing/);
    doomed.child.kill('SIGKILL');
    const done = await running.done;
    expect(done.err).toMatch(/no worker does it any more .* computed here: sim concurrency 64/);
    expect((JSON.parse(done.out) as { points: Summary[] }).points.map(({ counts }) => counts.ok)).toEqual([
      1500, 1500, 1500,
    ]);
    await dismiss(workers.splice(0));
  });
});

describe('secrets stay where they are', () => {
  test('the API key is read on the worker, and never stands in Redis', async () => {
    const secret = 'sk-never-in-redis-4711';
    const heard: string[] = [];
    const listener = createServer((socket) => {
      socket.setEncoding('latin1').on('data', (piece: string) => {
        heard.push(piece);
        const body =
          '{"choices":[{"message":{"content":"yes"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}';
        socket.write(
          `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        );
      });
      socket.on('error', () => {});
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const spied = await startRedis();
    workers.push(await startWorker(spied.url, 'dyno', 'a', { env: { MY_KEY: secret } }));
    const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/v1/chat/completions`;
    const done = await dyno(
      [
        'run',
        url,
        '--model',
        'm',
        '--no-stream',
        '-n',
        '20',
        '--key-env',
        'MY_KEY',
        '--no-preflight',
        '--json',
        '--metrics',
        'none',
        '--workers',
        spied.url,
        '--store',
        await emptyFolder(),
      ],
      { env: { MY_KEY: 'the controller has another one' } },
    );
    expect((JSON.parse(done.out) as Summary).counts.ok).toBe(20);
    expect(heard.join('')).toContain(`Bearer ${secret}`);
    // Everything that ever went into this Redis stands in its append-only file.
    const kept = execFileSync('sh', ['-c', `grep -rac "${secret}" "${spied.dir}" | grep -v ':0$' | wc -l`], {
      encoding: 'utf8',
    });
    expect(kept.trim()).toBe('0');
    await dismiss(workers.splice(0));
    await spied.close();
    await new Promise((resolve) => listener.close(resolve));
  });
});

describe('deploy/', () => {
  test('the entrypoint starts a worker from its environment, with the password from a mounted file', async () => {
    const closed = await startRedis(['--requirepass', 'from a file']);
    const dir = mkdtempSync(join(tmpdir(), 'llmdyno-deploy-'));
    const root = join(import.meta.dirname, '../..');
    writeFileSync(join(dir, 'dyno'), `#!/bin/sh\nexec "${process.execPath}" "${root}/dist/cli/main.js" "$@"\n`, {
      mode: 0o755,
    });
    writeFileSync(join(dir, 'secret'), 'from a file\n');
    const env = {
      PATH: `${dir}:${process.env['PATH']}`,
      DYNO_REDIS_URL: closed.url,
      DYNO_QUEUE: 'deployed',
      DYNO_REDIS_PASSWORD_FILE: join(dir, 'secret'),
    };
    const worker = spawn('sh', [join(root, 'deploy/entrypoint.sh'), 'worker'], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    await new Promise<void>((resolve) => {
      worker.stderr.setEncoding('utf8').on('data', (piece: string) => {
        said += piece;
        if (said.includes('\n')) resolve();
      });
    });
    expect(said).toMatch(/waits on queue deployed at redis:/);
    const gone = new Promise((resolve) => worker.once('exit', resolve));
    // exec: the signal reaches dyno itself, which leaves in peace.
    worker.kill('SIGTERM');
    expect(await gone).toBe(0);
    await closed.close();
  });
});

describe.concurrent('what stands in the way is told, with what to do', () => {
  const attempt = async (
    url: string,
    env: Record<string, string> = {},
  ): Promise<{ code: number | null; err: string }> =>
    dyno(['run', server.url, '-n', '1', '--workers', url, '--wait-workers', '1s', '--store', await emptyFolder()], {
      env,
    });

  test('no Redis: how to start one', async () => {
    const { code, err } = await attempt(`redis://127.0.0.1:${await freePort()}`);
    expect(code).toBe(3);
    expect(err).toMatch(/no Redis at redis:\/\/127\.0\.0\.1:\d+: nothing listens there \(ECONNREFUSED\)$/m);
    expect(err).toMatch(/redis-server --appendonly yes/);
  });

  test('no worker: how to start one', async () => {
    const { code, err } = await attempt(redis.url);
    expect(code).toBe(3);
    expect(err).toMatch(/0 of 1 workers are on queue "dyno"/);
    expect(err).toMatch(/dyno worker redis:\/\/127\.0\.0\.1/);
  });

  test('a password that is wrong, missing, or stands where everyone can read it', async () => {
    const closed = await startRedis(['--requirepass', 'open sesame']);
    const wrong = await attempt(closed.url, { DYNO_REDIS_PASSWORD: 'nope' });
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringMatching(/does not accept the user or password/)]);
    const missing = await attempt(closed.url);
    expect([missing.code, missing.err]).toEqual([2, expect.stringMatching(/DYNO_REDIS_PASSWORD/)]);
    const typed = await attempt(closed.url.replace('//', '//:open%20sesame@'));
    expect([typed.code, typed.err]).toEqual([2, expect.stringMatching(/can be read by everyone/)]);
    expect(typed.err).not.toContain('sesame@');
    const right = await attempt(closed.url, { DYNO_REDIS_PASSWORD: 'open sesame' });
    expect(right.err).toMatch(/0 of 1 workers/);
    await closed.close();
  });

  test('TLS on one side only, and a certificate that nobody vouches for', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'llmdyno-redis-tls-'));
    const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
    const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, '-days', '2', ...subject],
      { stdio: 'ignore' },
    );
    const port = await freePort();
    const tls = [
      '--tls-port',
      String(port),
      '--tls-cert-file',
      cert,
      '--tls-key-file',
      key,
      '--tls-ca-cert-file',
      cert,
    ];
    const secure = await startRedis(['--port', '0', ...tls, '--tls-auth-clients', 'no']);
    const plainToTls = await attempt(`redis://127.0.0.1:${port}`);
    expect(plainToTls.err).toMatch(/not as a Redis without TLS does[\s\S]*rediss:\/\//);
    const tlsToPlain = await attempt(redis.url.replace('redis:', 'rediss:'));
    expect(tlsToPlain.err).toMatch(/does not speak TLS[\s\S]*redis:\/\/ instead/);
    const unknown = await attempt(`rediss://127.0.0.1:${port}`);
    expect(unknown.err).toMatch(/certificate of .* is not trusted[\s\S]*DYNO_REDIS_CA/);
    const trusted = await attempt(`rediss://127.0.0.1:${port}`, { DYNO_REDIS_CA: cert });
    expect(trusted.err).toMatch(/0 of 1 workers/);
    await secure.close();
  });
});
