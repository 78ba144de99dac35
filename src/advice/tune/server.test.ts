import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Journal, JournalEvent } from './journal.ts';
import { isSameProcess } from '../../results/store/index.ts';
import type { ProcessIdentity } from '../../results/store/index.ts';
import { Server, startText } from './server.ts';
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

describe('settings in the command of a server', () => {
  const text = (command: string, settings: Record<string, string | number | boolean>): string =>
    startText({ kind: 'command', text: command, stop: null, cwd: null, env: {}, stopTimeoutMs: 1 }, settings);
  test('a value that stands alone is words, and none where it is empty', () => {
    expect(text('{bind} vllm serve /data/m', { bind: 'numactl -N0 -m0' })).toBe(
      'exec numactl -N0 -m0 vllm serve /data/m',
    );
    expect(text('{bind} vllm serve /data/m', { bind: '' })).toBe('exec  vllm serve /data/m');
    expect(text('vllm serve {model}', { model: '"/data/my model"' })).toBe("exec vllm serve '/data/my model'");
  });
  test('a part of a word stays one, and nothing of a value is run', () => {
    expect(text('vllm serve m --name={name}', { name: 'a b' })).toBe("exec vllm serve m --name='a b'");
    expect(text('vllm serve {model}', { model: 'x; rm -rf / $(id) `id`' })).toBe(
      "exec vllm serve 'x;' rm -rf / '$(id)' '`id`'",
    );
  });
  test('a name that no setting has is left as it stands', () => {
    expect(text('sh -c {command}', {})).toBe('exec sh -c {command}');
  });
});

describe('a server that nothing else says is ready', () => {
  test('is ready once somebody answers where it is measured, and not before', async () => {
    const http = createServer((_, response) => response.writeHead(404).end());
    await new Promise<void>((resolve) => {
      http.listen(0, '127.0.0.1', resolve);
    });
    const { port } = http.address() as AddressInfo;
    const words = wordsOf(`sh -c 'cat; sleep 60'`);
    const ready = (address: string, timeoutMs: number) => ({ url: null, log: null, logFile: null, timeoutMs, address });
    const started = async (address: string, timeoutMs: number): Promise<unknown> => {
      const server = new Server(
        { ...words, ready: ready(address, timeoutMs) },
        journalWith(() => Promise.resolve()),
        join(dir, 'server.log'),
      );
      const result = await server.start({}, new AbortController().signal);
      await server.stop();
      return result;
    };
    expect(await started(`http://127.0.0.1:${port}`, 30_000)).toEqual({ up: true });
    await new Promise((resolve) => {
      http.close(resolve);
    });
    expect(await started(`http://127.0.0.1:${port}`, 300)).toMatchObject({ up: false, outcome: 'not-ready' });
  });
});
