import { afterAll, beforeAll, test } from 'vitest';
import { startRedis } from '../contract/redis-server.ts';
import type { RedisServer } from '../contract/redis-server.ts';
import { dismiss, startWorker } from './crew.ts';
import { emptyFolder } from './dyno.ts';
import type { Running } from './dyno.ts';
import { limitMs, play, resumed } from './kill-laws.ts';
import { witness } from './kills.ts';

let redis: RedisServer;
const workers: Running[] = [];
beforeAll(async () => {
  redis = await startRedis();
  for (const name of ['a', 'b']) workers.push(await startWorker(redis.url, 'kills', name));
});
afterAll(async () => {
  await dismiss(workers);
  await redis.close();
});

test(
  'a controller that is struck: its workers go on or end, nothing that was finished is lost, and --resume balances',
  { timeout: limitMs },
  async () => {
    // Workers go on while nobody controls them: what they ask then is counted with the rest.
    const team = ['--workers', redis.url, '--queue', 'kills', '--min-workers', '2', '--clear-queue'];
    const asks = ['--model', 'm', '--no-preflight', '--metrics', 'none', '--devices', 'none', '--lenient', '--json'];
    await play('cluster', 12, {
      async begin() {
        const server = await witness();
        const words = ['run', server.url, ...asks, ...team, '--max-tokens', '4', '--concurrency', '4', '-n', '200'];
        return { words, store: await emptyFolder(), server };
      },
      goOn: (command, struck, asked) => resumed('run', command, struck, asked, 'by workers'),
    });
  },
);
