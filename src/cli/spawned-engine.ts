import { spawn } from 'node:child_process';
import { invariant } from '../core/index.ts';

/** A simulated engine in a process of its own, so that it and the load do not share a core's time. */
export interface SpawnedEngine {
  url: string;
  stop(): Promise<void>;
}

/** Starts `dyno engine` with the given flags on a free port and waits until it listens. */
export function spawnEngine(flags: readonly string[]): Promise<SpawnedEngine> {
  const script = process.argv[1];
  invariant(script !== undefined, 'a command knows which file it was started from');
  const child = spawn(process.execPath, [script, 'engine', '--port', '0', '--json', '--quiet', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      if (!text.includes('\n')) return;
      const { url } = JSON.parse(text) as { url: string };
      resolve({
        url,
        stop: async () => {
          child.kill('SIGTERM');
          await ended;
        },
      });
    });
    child.once('error', reject);
    void ended.then(() => reject(new Error(`the simulated engine ended before it listened (${text})`)));
  });
}
