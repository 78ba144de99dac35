import { openWorkbench } from './job-engine.ts';
import type { RemoteComputers } from './job-engine.ts';
import { queueKeys } from './keys.ts';
import { tooFew } from './open-cluster.ts';
import { checkRedis } from './redis.ts';
import type { RedisPlace } from './redis.ts';

const lookEveryMs = 100;

/** The CPUs of the workers on a queue, once one is there; any number of users share them, beside or between runs. */
export async function benchAt(
  place: RedisPlace,
  queue: string,
  version: string,
  waitMs: number,
): Promise<RemoteComputers> {
  await checkRedis(place, '--workers');
  const bench = await openWorkbench(place, queueKeys(queue, version));
  const deadlineMs = performance.now() + waitMs;
  try {
    while ((await bench.present()).length === 0) {
      if (performance.now() > deadlineMs) throw tooFew({ place, queue }, 0, 1);
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
    return bench;
  } catch (error) {
    await bench.close();
    throw error;
  }
}
