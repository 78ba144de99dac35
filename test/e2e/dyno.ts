import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Summary } from '../../src/core/index.ts';

const main = join(import.meta.dirname, '../../dist/cli/main.js');

/** What a finished command left behind. */
export interface Done {
  code: number | null;
  out: string;
  err: string;
}

/** A command under way. */
export interface Running {
  child: ChildProcess;
  done: Promise<Done>;
  /** Resolves with everything printed so far on an output once it matches. */
  until(output: 'out' | 'err', pattern: RegExp): Promise<string>;
}

/** Starts the built command line as a process of its own, off a terminal, in English unless told otherwise. */
export function start(args: readonly string[], options: { env?: Record<string, string>; cwd?: string } = {}): Running {
  const child = spawn(process.execPath, [main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: options.cwd,
    env: { PATH: process.env['PATH'], LANG: 'C', ...options.env },
  });
  const text = { out: '', err: '' };
  const watchers = new Set<() => void>();
  const hear = (output: 'out' | 'err') => (piece: string) => {
    text[output] += piece;
    for (const watch of watchers) watch();
  };
  child.stdout!.setEncoding('utf8').on('data', hear('out'));
  child.stderr!.setEncoding('utf8').on('data', hear('err'));
  const done = new Promise<Done>((resolve) => child.once('close', (code) => resolve({ code, ...text })));
  const until = (output: 'out' | 'err', pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const watch = (): void => {
        if (!pattern.test(text[output])) return;
        watchers.delete(watch);
        resolve(text[output]);
      };
      watchers.add(watch);
      watch();
      void done.then((end) => reject(new Error(`ended before ${String(pattern)}: ${JSON.stringify(end)}`)));
    });
  return { child, done, until };
}

/** Runs a command to its end. */
export function dyno(
  args: readonly string[],
  options: { env?: Record<string, string>; cwd?: string } = {},
): Promise<Done> {
  return start(args, options).done;
}

/** A simulated engine in a process of its own. */
export interface Engine {
  url: string;
  /** Ends it; gives what it printed, the faults it handed out among it. */
  stop(): Promise<Done>;
  /** Stops its process where it stands, or lets it go on. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
}

export async function engine(flags: readonly string[] = []): Promise<Engine> {
  const running = start(['engine', '--port', '0', ...flags]);
  const out = await running.until('out', /\n/);
  return {
    url: out.trim(),
    stop: () => {
      running.child.kill('SIGTERM');
      return running.done;
    },
    signal: (name) => void running.child.kill(name),
  };
}

/** An empty folder for one test. */
export function emptyFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'llmdyno-e2e-'));
}

export function summaryOf(done: Done): Summary {
  return JSON.parse(done.out) as Summary;
}
