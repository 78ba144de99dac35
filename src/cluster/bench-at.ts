import { openWorkbench } from './job-engine.ts';
import type { Workbench } from './job-engine.ts';
import { queueKeys } from './keys.ts';
import { checkRedis } from './redis.ts';
import type { RedisPlace } from './redis.ts';

/** The CPUs of the workers on a queue; any number of users share them, beside or between runs. */
export async function benchAt(place: RedisPlace, queue: string, version: string): Promise<Workbench> {
  await checkRedis(place, '--workers');
  return openWorkbench(place, queueKeys(queue, version));
}
