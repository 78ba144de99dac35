import type { RedisPlace } from '../../client/cluster/index.ts';
import type { World } from '../world.ts';

/** Where a Redis is and how to get in: the address from the command line, everything secret from the environment. */
export function redisPlace(url: string, env: World['env'], tls = false): RedisPlace {
  const said = (name: string): string | null => env[name] || null;
  return {
    url: tls ? url.replace(/^redis:/i, 'rediss:') : url,
    user: said('DYNO_REDIS_USER'),
    password: said('DYNO_REDIS_PASSWORD'),
    ca: said('DYNO_REDIS_CA'),
  };
}
