// redis-server for the tests that need a real Redis.
import { debianProgram } from './debian-program.mjs';

/** { path } or { path: null, why }. */
export const redisServerPath = () =>
  debianProgram({
    name: 'redis-server',
    packageName: 'redis-server',
    variable: 'REDIS_SERVER_PATH',
    places: [
      '/usr/bin/redis-server',
      '/usr/bin/valkey-server',
      '/usr/local/bin/redis-server',
      '/opt/homebrew/bin/redis-server',
    ],
    // The package would start a service of its own; the tests start theirs, on a free port.
    env: { RUNLEVEL: '1' },
  });
