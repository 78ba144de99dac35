// Finds redis-server for the tests that need a real Redis, or installs it where that is allowed and possible (Debian, as
// root). Gives its path, or null with the reason.
import { access } from 'node:fs/promises';
import { run } from './steps.mjs';

const places = [
  process.env.REDIS_SERVER_PATH,
  '/usr/bin/redis-server',
  '/usr/bin/valkey-server',
  '/usr/local/bin/redis-server',
  '/opt/homebrew/bin/redis-server',
].filter(Boolean);

async function found() {
  for (const place of places) {
    const there = await access(place).then(
      () => true,
      () => false,
    );
    if (there) return place;
  }
  return null;
}

/** { path } or { path: null, why }. */
export async function redisServerPath() {
  const there = await found();
  if (there !== null) return { path: there };
  const isRoot = process.getuid?.() === 0;
  const hasApt = (await run('which', ['apt-get'])).code === 0;
  if (!isRoot || !hasApt) return { path: null, why: 'no redis-server was found; install it, or set REDIS_SERVER_PATH' };
  console.log('installing redis-server with apt-get');
  // The package would start a service of its own; the tests start theirs, on a free port.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', 'redis-server']]) {
    const { code, output } = await run('apt-get', args, { env });
    if (code !== 0) return { path: null, why: `apt-get ${args[0]} failed: ${output.slice(-300)}` };
  }
  return { path: await found(), why: 'apt-get installed no redis-server where it is looked for' };
}
