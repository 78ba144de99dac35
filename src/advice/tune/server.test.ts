import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Journal, JournalEvent } from './journal.ts';
import { isSameProcess } from '../../results/store/index.ts';
import type { ProcessIdentity } from '../../results/store/index.ts';
import { Server } from './server.ts';
import type { ServerWords } from './server-words.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dyno-server-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

function wordsOf(command: string): ServerWords {
  return {
    configs: [],
    env: {},
    script: null,
    start: { kind: 'command', text: command, stop: null, cwd: dir, env: {}, stopTimeoutMs: 10_000 },
    ready: { url: null, log: 'up', logFile: null, timeoutMs: 60_000 },
    evaluate: null,
  };
}

/** A journal that lets `atStarted` happen while it writes down the server's pid. */
function journalWith(atStarted: (server: ProcessIdentity) => Promise<void>): Journal {
  return {
    async write(event: JournalEvent) {
      if (event.kind === 'started') await atStarted(event.server);
    },
    close: async () => {},
  };
}

const pause = (forMs: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, forMs);
  });

describe('a server and the journal', () => {
  test('the server begins only once its pid is on disk', async () => {
    const sign = join(dir, 'sign');
    let begunBefore: boolean | null = null;
    const server = new Server(
      wordsOf(`sh -c 'touch sign; echo up; cat; sleep 60'`),
      journalWith(async () => {
        await pause(300);
        begunBefore = existsSync(sign);
      }),
      join(dir, 'server.log'),
    );
    // It reads an empty input, as it would without a shell that waits.
    expect(await server.start({}, new AbortController().signal)).toEqual({ up: true });
    expect(begunBefore).toBe(false);
    expect(existsSync(sign)).toBe(true);
    await server.stop();
    expect(server.running).toBe(false);
  });

  test('where its pid cannot be written down it never begins', async () => {
    let shell: ProcessIdentity | null = null;
    const server = new Server(
      wordsOf(`sh -c 'touch sign; echo up; sleep 60'`),
      journalWith((identity) => {
        shell = identity;
        return Promise.reject(new Error('no space left on device'));
      }),
      join(dir, 'server.log'),
    );
    await expect(server.start({}, new AbortController().signal)).rejects.toThrow('no space left');
    await expect.poll(() => isSameProcess(shell!), { timeout: 30_000 }).toBe(false);
    expect(existsSync(join(dir, 'sign'))).toBe(false);
    expect(await readFile(join(dir, 'server.log'), 'utf8')).toBe('');
  });
});
