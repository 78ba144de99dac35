import { openWorkbench } from './job-engine.ts';
import type { RemoteComputers } from './job-engine.ts';
import { queueKeys } from './keys.ts';
import { tooFew } from './open-cluster.ts';
import { answered, checkRedis } from './redis.ts';
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
  // A caller that uses them already waits for Redis as long as it takes; work that no worker does is done here.
  let patienceMs = waitMs;
  const bench = await answered(
    place,
    openWorkbench(place, queueKeys(queue, version), () => patienceMs),
  );
  const close = (): Promise<void> => {
    patienceMs = 0;
    return bench.close();
  };
  const deadlineMs = performance.now() + waitMs;
  try {
    while ((await answered(place, bench.present())).length === 0) {
      if (performance.now() > deadlineMs) throw tooFew({ place, queue }, 0, 1);
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
    patienceMs = Infinity;
    return { ...bench, close };
  } catch (error) {
    await close();
    throw error;
  }
}
