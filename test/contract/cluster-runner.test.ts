import { afterAll, beforeAll } from 'vitest';
import { makeClusterRunner, openCluster, serveWorker } from '../../src/cluster/index.ts';
import type { Cluster, RunningWorker } from '../../src/cluster/index.ts';
import { startEngine } from '../../src/engine/index.ts';
import type { RunningEngine } from '../../src/engine/index.ts';
import { builtinProfile } from '../../src/sim/index.ts';
import { fromPrompts } from '../../src/workload/index.ts';
import { contractPrompts } from './contract-prompts.ts';
import { talkWorkload } from './contract-talks.ts';
import { startRedis } from './redis-server.ts';
import type { RedisServer } from './redis-server.ts';
import { runnerContract } from './runner-contract.ts';
import { talkContract } from './talk-contract.ts';

let engine: RunningEngine;
let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
  engine = await startEngine({ profile: builtinProfile('qwen1.5-7b-mindie-8x910b4'), speed: 10, models: ['any'] });
});
afterAll(async () => {
  for (const cluster of clusters.values()) await cluster.close();
  await Promise.all(workers.map((worker) => worker.leave()));
  await engine.close();
  await redis.close();
});

const clusters = new Map<number, Cluster>();
const workers: RunningWorker[] = [];

/** A queue of its own with so many workers, which stay for all of its tests. */
async function clusterOf(count: number): Promise<Cluster> {
  const there = clusters.get(count);
  if (there !== undefined) return there;
  const place = { url: redis.url, user: null, password: null, ca: null };
  const queue = `contract-${count}`;
  for (let i = 0; i < count; i++)
    workers.push(
      await serveWorker({
        place,
        queue,
        version: '1.2.3',
        name: `w${i}`,
        labels: {},
        lostAfterMs: 20_000,
        orphanAfterMs: 20_000,
        // The contract's prompts are made again by each worker: fifty questions, warm-up from the twenty-fifth on.
        equip: (source) =>
          Promise.resolve({
            secrets: {},
            workload: (phase) =>
              source === 'talks'
                ? talkWorkload()
                : fromPrompts(contractPrompts, { offset: phase === 'warmup' ? 25 : 0, cycle: true }),
          }),
        tell: () => {},
      }),
    );
  const cluster = await openCluster({
    place,
    queue,
    version: '1.2.3',
    minWorkers: count,
    waitMs: 10_000,
    clear: false,
    resume: null,
    resend: false,
    redisWaitMs: 10_000,
    tell: () => {},
  });
  clusters.set(count, cluster);
  return cluster;
}

for (const count of [1, 2, 4]) {
  runnerContract(
    `${count} ${count === 1 ? 'worker' : 'workers'} on Redis`,
    async () => makeClusterRunner({ cluster: await clusterOf(count), source: null }),
    () => `${engine.url}/v1/chat/completions`,
    { rulesLag: 32 },
  );
  if (count > 1)
    talkContract(
      `${count} ${count === 1 ? 'worker' : 'workers'} on Redis`,
      async () => makeClusterRunner({ cluster: await clusterOf(count), source: 'talks', talks: () => talkWorkload() }),
      () => `${engine.url}/v1/chat/completions`,
    );
}
