import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';

export { freePort };

const places = [
  process.env['REDIS_SERVER_PATH'],
  '/usr/bin/redis-server',
  '/usr/bin/valkey-server',
  '/usr/local/bin/redis-server',
  '/opt/homebrew/bin/redis-server',
];

/** A real Redis of the test's own, on a free port of the loopback. */
export interface RedisServer {
  port: number;
  url: string;
  /** Where it writes. */
  dir: string;
  /** Ends the process; what it wrote stays. */
  halt(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Starts it again on the same port with what it wrote. */
  again(): Promise<void>;
  close(): Promise<void>;
}

/** Starts one that keeps what it is told (appendonly); `flags` are put behind redis-server's own. */
export async function startRedis(flags: readonly string[] = []): Promise<RedisServer> {
  const path = places.find((place) => place !== undefined && existsSync(place));
  if (path === undefined) throw new Error('no redis-server: run npm test, which installs it, or set REDIS_SERVER_PATH');
  const dir = await mkdtemp(join(tmpdir(), 'llmdyno-redis-'));
  const port = await freePort();
  let child: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    const words = ['--bind', '127.0.0.1', '--dir', dir, '--appendonly', 'yes', '--save', ''];
    const own = flags.includes('--port') ? flags : ['--port', String(port), ...flags];
    const mine = spawn(path, [...words, ...own], { stdio: ['ignore', 'pipe', 'inherit'] });
    child = mine;
    await new Promise<void>((resolve, reject) => {
      let said = '';
      mine.stdout.setEncoding('utf8').on('data', (piece: string) => {
        said += piece;
        if (said.includes('eady to accept connections')) resolve();
      });
      mine.once('exit', () => reject(new Error(`redis-server ended: ${said}`)));
    });
  };
  const halt = async (signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> => {
    const mine = child;
    child = null;
    if (mine === null || mine.exitCode !== null) return;
    const gone = new Promise((resolve) => mine.once('exit', resolve));
    mine.kill(signal);
    await gone;
  };
  await start();
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    dir,
    halt,
    again: start,
    async close() {
      await halt('SIGKILL');
      await rm(dir, { recursive: true, force: true });
    },
  };
}
