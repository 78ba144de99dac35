import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { makeClusterRunner, openCluster, serveWorker } from '../../src/client/cluster/index.ts';
import type { Cluster, RunningWorker } from '../../src/client/cluster/index.ts';
import type { Runner } from '../../src/core/index.ts';
import { startEngine } from '../../src/engine/http/index.ts';
import type { RunningEngine } from '../../src/engine/http/index.ts';
import { builtinProfile } from '../../src/engine/sim/index.ts';
import { fromPrompts } from '../../src/inputs/workload/index.ts';
import { contractPrompts } from './contract-prompts.ts';
import { talkWorkload } from './contract-talks.ts';
import { startRedis } from './redis-server.ts';
import type { RedisServer } from './redis-server.ts';
import { runnerContract, smallPlan } from './runner-contract.ts';
import { talkContract } from './talk-contract.ts';
import { unrehearsed } from './unrehearsed.ts';

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

const placeOf = () => ({ url: redis.url, user: null, password: null, ca: null });

function work(queue: string, name: string): Promise<RunningWorker> {
  return serveWorker({
    place: placeOf(),
    queue,
    version: '1.2.3',
    name,
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
    rehearsal: unrehearsed,
  });
}

function control(queue: string, minWorkers: number, waitMs = 60_000): Promise<Cluster> {
  return openCluster({
    place: placeOf(),
    queue,
    version: '1.2.3',
    minWorkers,
    waitMs,
    clear: false,
    resume: null,
    resend: false,
    redisWaitMs: 60_000,
    stops: { drain: new AbortController().signal, cancel: new AbortController().signal },
    tell: () => {},
  });
}

/** A queue of its own with so many workers, which stay for all of its tests. */
async function clusterOf(count: number): Promise<Cluster> {
  const there = clusters.get(count);
  if (there !== undefined) return there;
  const queue = `contract-${count}`;
  for (let i = 0; i < count; i++) workers.push(await work(queue, `w${i}`));
  const cluster = await control(queue, count);
  clusters.set(count, cluster);
  return cluster;
}

for (const count of [1, 2, 4]) {
  runnerContract(
    `${count} ${count === 1 ? 'worker' : 'workers'} on Redis`,
    async () => makeClusterRunner({ cluster: await clusterOf(count), source: null }),
    () => `${engine.url}/v1/chat/completions`,
    { rulesLag: true },
  );
  if (count > 1)
    talkContract(
      `${count} ${count === 1 ? 'worker' : 'workers'} on Redis`,
      async () => makeClusterRunner({ cluster: await clusterOf(count), source: 'talks', talks: () => talkWorkload() }),
      () => `${engine.url}/v1/chat/completions`,
    );
}

/** Twelve asks: how many came to what. */
async function outcomes(runner: Runner): Promise<Record<string, number>> {
  const never = { drain: new AbortController().signal, cancel: new AbortController().signal };
  const plan = smallPlan(`${engine.url}/v1/chat/completions`, { requests: 12 });
  const counts: Record<string, number> = {};
  for await (const { exchange } of runner.run(plan, never, [])) {
    const came = exchange.problem?.code ?? exchange.outcome;
    counts[came] = (counts[came] ?? 0) + 1;
  }
  return counts;
}

test.each([
  ['nobody comes in time: every ask is told as not sent', 300, false, { 'not-sent': 12 }],
  ['somebody comes: all is done', 60_000, true, { ok: 12 }],
])('workers that were there and are gone when the run begins; %s', async (_name, waitMs, comes, expected) => {
  const queue = `gone-${waitMs}`;
  const first = await work(queue, 'first');
  const cluster = await control(queue, 1, waitMs);
  await first.leave();
  const runner = await makeClusterRunner({ cluster, source: null });
  const counted = outcomes(runner);
  const second = comes ? await work(queue, 'second') : null;
  expect(await counted).toEqual(expected);
  expect(runner.cutShort!()).toBe(!comes);
  await second?.leave();
  await cluster.close();
});

test('the lease is renewed between two runs as well, and what was cleared away is not taken for a loss', async () => {
  // Only this cluster's lease counts on these timers: it is renewed when the test says so.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const cluster = await clusterOf(3);
    const { redis: link } = cluster;
    const unlink = link.unlink.bind(link) as (...keys: string[]) => Promise<number>;
    let renewals = 0;
    link.unlink = (async (...keys: string[]) => {
      const gone = await unlink(...keys);
      vi.advanceTimersByTime(2000);
      await link.ping();
      renewals++;
      return gone;
    }) as typeof link.unlink;
    for (let run = 0; run < 3; run++) {
      const runner = await makeClusterRunner({ cluster, source: null });
      expect([await outcomes(runner), runner.cutShort!()]).toEqual([{ ok: 12 }, false]);
      if (run === 1) await runner.close!();
    }
    expect(renewals).toBeGreaterThanOrEqual(3);
  } finally {
    vi.useRealTimers();
  }
});
