import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startRedis } from '../contract/redis-server.ts';
import type { RedisServer } from '../contract/redis-server.ts';
import { cuttableProxy, dismiss, recordsIn, startWorker, untilRecords } from './crew.ts';
import type { CuttableProxy } from './crew.ts';
import { emptyFolder, engine, start } from './dyno.ts';
import type { Engine, Running } from './dyno.ts';

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

let queues = 0;
/** A run whose controller was killed, and its queue's worker; the controller's Redis is behind a proxy, the worker's is not. */
async function orphan(
  redisWait: string,
  body: (store: string, proxy: CuttableProxy, worker: Running) => Promise<void>,
) {
  const queue = `gone-${queues++}`;
  const proxy = await cuttableProxy(redis.port);
  const worker = await startWorker(redis.url, queue, 'a');
  const store = await emptyFolder();
  const team = ['--workers', `redis://127.0.0.1:${proxy.port}`, '--queue', queue, '--redis-wait', redisWait];
  const load = ['--max-tokens', '64', '--ignore-eos', '--concurrency', '4', '-n', '20000', '--no-text'];
  const quiet = ['--no-preflight', '--metrics', 'none', '--devices', 'none', '--store', store, '--json'];
  try {
    const run = start(['run', server.url, ...team, ...load, ...quiet]);
    await untilRecords(store, 20, run);
    run.child.kill('SIGKILL');
    await run.done;
    await body(store, proxy, worker);
  } finally {
    await dismiss([worker]);
    await proxy.close();
  }
}
const resume = (store: string): Running => start(['run', '--resume', 'latest', '--store', store, '--json']);

describe.concurrent('a Redis that goes away while --resume takes the run up', () => {
  // From the first question to the run under way: each piece is what the controller says to Redis at one moment.
  test.each([7, 13, 20, 34, 40, 50, 70])(
    'after piece %i: it is waited for as long as was said, then told, with exit 3 before load and 5 in it',
    async (pieces) => {
      await orphan('1s', async (store, proxy, worker) => {
        proxy.leaveAfter(pieces);
        worker.child.kill('SIGKILL');
        const { code, out, err } = await resume(store).done;
        expect([3, 5]).toContain(code);
        if (code === 3)
          expect(err).toMatch(/Redis at redis:\/\/127\.0\.0\.1:\d+ answered and then went away|no Redis at/);
        if (code === 3) return;
        expect(err).toMatch(/Redis is gone for good/);
        const { counts } = JSON.parse(out) as { counts: Record<string, number> };
        expect(counts).toMatchObject({ planned: 20_000, unaccounted: 0 });
        expect(new Set((await recordsIn(store)).map(({ seq }) => seq)).size).toBe(20_000);
      });
    },
  );

  test.each([13, 40, 60])('after piece %i, with long patience: SIGTERM ends it', async (pieces) => {
    await orphan('1h', async (store, proxy) => {
      proxy.leaveAfter(pieces);
      const again = resume(store);
      // Before load a signal ends the process by itself; in it the first one must do.
      const heard = again.until('err', /Redis does not answer/).catch(() => null);
      await Promise.race([heard, new Promise((resolve) => setTimeout(resolve, 5000))]);
      again.child.kill('SIGTERM');
      const { code } = await again.done;
      expect([null, 3, 130]).toContain(code);
    });
  });
});
