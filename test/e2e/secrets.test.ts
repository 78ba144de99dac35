import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dyno, emptyFolder } from './dyno.ts';

/** Every secret that the client is given, and what it is given as. */
const secrets = {
  key: 'sk-live-0123456789abcdef',
  other: 'other-header-8d1f',
  body: 'body-key-77aa',
  query: 'query-5e5e',
};
let server: Server;
let url: string;
let store: string;

/** A server that says all it was told in everything it says: refusals, answers in small pieces, its name, its metrics. */
beforeAll(async () => {
  let asked = 0;
  server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const heard = `${request.url} ${request.rawHeaders.join(' ')} ${Buffer.concat(pieces).toString()}`;
      response.setHeader('server', `echo/1 (${String(request.headers.authorization)})`);
      if (request.url!.startsWith('/metrics'))
        return void response.end(`vllm:num_requests_running{model_name="${heard.replaceAll(/["\\\n]/g, '')}"} 1\n`);
      asked++;
      if (asked % 3 === 0) return void response.writeHead(500).end(`{"error": {"message": ${JSON.stringify(heard)}}}`);
      if (asked % 3 === 1) return void response.writeHead(400).end('x'.repeat(280) + secrets.key);
      response.setHeader('content-type', 'text/event-stream');
      const say = (delta: object, finish: string | null): string =>
        `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
      for (const letter of heard.match(/.{1,5}/gs)!) response.write(say({ content: letter }, null));
      response.end(`${say({}, 'stop')}data: [DONE]\n\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/chat/completions?api-key=${secrets.query}`;
  store = join(await emptyFolder(), 'store');
});
afterAll(() => {
  server.close();
});

function everything(folder: string): { name: string; mode: number; text: string }[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true }).map((entry) => {
    const name = join(entry.parentPath, entry.name);
    return { name, mode: statSync(name).mode & 0o777, text: entry.isFile() ? readFileSync(name, 'utf8') : '' };
  });
}

function expectNone(text: string): void {
  for (const secret of Object.values(secrets)) expect(text).not.toContain(secret);
}

const body = JSON.stringify({ top_p: 0.5, api_key: secrets.body });
const load = '--model m --concurrency 2 --requests 12 --lenient --no-preflight --key-env MY_KEY --label echoed';
const ask = (): readonly string[] => [
  'run',
  url,
  ...load.split(' '),
  '--store',
  store,
  '--header',
  `X-Other: ${secrets.other}`,
  '--body',
  body,
];
const env = { MY_KEY: secrets.key };

describe('a server that says everything it was told', () => {
  test('gets no secret into a file, a report or a terminal, and the files are for their owner alone', async () => {
    const { code, out, err } = await dyno(ask(), { env });
    expect([0, 4, 5]).toContain(code);
    expectNone(out + err);
    const kept = everything(store);
    const text = kept.map((file) => file.text).join('\n');
    expectNone(text);
    // It was heard, and it is known what was asked.
    expect(text).toContain('"x-other": "(hidden)"');
    expect(text).toMatch(/"http-5xx"/);
    expect(text).toContain('"top_p": 0.5');
    expect(kept.filter(({ name, mode }) => mode !== (statSync(name).isDirectory() ? 0o700 : 0o600))).toEqual([]);
    for (const form of ['html', 'json', 'markdown', 'text']) {
      const told = await dyno(['report', 'echoed', '--as', form, '--store', store]);
      expect(told.code).toBe(0);
      expectNone(told.out + told.err);
    }
  });

  test('is not repeated by the question before the load, nor by what looks at a server', async () => {
    const asked = ask().filter((word) => word !== '--no-preflight');
    expectNone(Object.values(await dyno(asked, { env })).join(''));
    const looked = ['doctor', url, '--key-env', 'MY_KEY', '--store', store];
    expectNone(Object.values(await dyno(looked, { env })).join(''));
  });

  test('others read the files where DYNO_STORE_READERS says so', async () => {
    const shared = join(await emptyFolder(), 'shared');
    const words = ['sim', '-n', '4', '--lenient', '--quiet', '--store', shared];
    await dyno(words, { env: { DYNO_STORE_READERS: 'everybody' } });
    const modes = everything(shared).map(({ mode }) => mode);
    expect(new Set(modes)).toEqual(new Set([0o755, 0o644]));
  });
});

test('a key typed where its variable is named is not repeated in the advice', async () => {
  for (const words of [
    ['run', 'http://127.0.0.1:9', '--key-env', secrets.key],
    ['run', 'http://127.0.0.1:9', '--header', `Authorization ${secrets.key}`],
    ['run', 'http://127.0.0.1:9', '--header', `X-Key: env:sk_live_0123456789abcdef`],
    ['run', 'http://127.0.0.1:9', '--body', `{"api_key": "${secrets.key}"`],
    ['run', `http://ann:${secrets.key}@127.0.0.1:9`],
    ['run', 'http://127.0.0.1:9', '--proxy', `http://ann:${secrets.key}@127.0.0.1:9`],
    ['run', 'http://127.0.0.1:9', '--also-at', `http://ann:${secrets.key}@127.0.0.1:9`],
    ['run', 'http://127.0.0.1:9', '--workers', `redis://:${secrets.key}@127.0.0.1:9`],
    ['doctor', 'http://127.0.0.1:9', '--key-env', secrets.key],
    ['selftest', '--url', 'http://127.0.0.1:9', '--key-env', secrets.key],
  ]) {
    const { code, out, err } = await dyno([...words, '--store', store]);
    // Where the address is taken as it is, nobody is there.
    expect([words, code]).not.toEqual([words, 70]);
    expect(out + err).not.toMatch(/0123456789abcdef/);
  }
});
