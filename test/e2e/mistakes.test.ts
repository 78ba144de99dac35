import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dyno, emptyFolder, engine } from './dyno.ts';
import type { Done, Engine } from './dyno.ts';

let server: Engine;
let pages: ReturnType<typeof createServer>;
let pagesUrl: string;
let folder: string;
const path = (name: string): string => join(folder, name);

beforeAll(async () => {
  folder = await emptyFolder();
  server = await engine(['--speed', '20', '--model', 'any']);
  pages = createServer((req, res) =>
    // As Python's http.server answers what it does not know.
    req.url?.startsWith('/files/')
      ? res.writeHead(501, { 'content-type': 'text/html' }).end('<p>Error code: 501</p>')
      : res.writeHead(200, { 'content-type': 'text/html' }).end('<html><title>nginx</title></html>'),
  );
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
  pagesUrl = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
  writeFileSync(path('empty.jsonl'), '');
  writeFileSync(path('broken.jsonl'), '{"question":"a"}\n{"question":"b"\n{"question":"c"}\n');
  writeFileSync(path('other.jsonl'), '{"input":"a","output":"b"}\n');
  writeFileSync(path('three.yaml'), 'url: http://127.0.0.1:1\nconcurrency: zero\nrequest: 5\nread-timeout: soon\n');
  writeFileSync(path('list.yaml'), '- a\n- b\n');
  writeFileSync(path('bad.yaml'), 'url: [1\nx: y\n');
  mkdirSync(path('a-folder'));
});
afterAll(async () => {
  pages.close();
  await server.stop();
});

const ask = (...args: string[]): Promise<Done> => dyno(['run', ...args, '-n', '2', '--store', path('store')]);

/** One clear message each: what, what to do, no stack trace, nothing on stdout. */
function expectClear(done: Done, code: number, what: RegExp, hint: RegExp): void {
  expect(done.err).toMatch(what);
  expect(done.err).toMatch(hint);
  expect(done.err).not.toMatch(/^\s+at /m);
  expect(done.out).toBe('');
  expect(done.code).toBe(code);
}

describe('a server that cannot be tested', () => {
  test('wrong host', async () => {
    expectClear(
      await ask('http://no-such-host.invalid:8000'),
      3,
      /no-such-host\.invalid.*host name not found/,
      /spelling/,
    );
  });
  test('wrong port', async () => {
    expectClear(await ask('http://127.0.0.1:1', '--model', 'any'), 3, /connection refused/, /is the server started/);
  });
  test('wrong path', async () => {
    expectClear(await ask(`${server.url}/v1/chatter`, '--model', 'any'), 3, /HTTP 404/, /Check the path/);
  });
  test('a client certificate without its key', async () => {
    expectClear(
      await ask('https://127.0.0.1:1', '--model', 'any', '--cert', 'mine.pem'),
      2,
      /--cert: a certificate and its key go together/,
      /both --cert and --cert-key/,
    );
  });
  test('wrong model', async () => {
    expectClear(await ask(server.url, '--model', 'nobody'), 3, /HTTP 404/, /model name/);
  });
  test('a web page', async () => {
    expectClear(
      await ask(pagesUrl, '--model', 'any'),
      3,
      /web page/,
      /does not look like a server for --api openai-chat/,
    );
    expectClear(await ask(pagesUrl), 3, /lists no models/, /--model/);
  });
  test('a server of files', async () => {
    expectClear(
      await ask(`${pagesUrl}/files/`, '--model', 'any', '--api', 'openai-chat'),
      3,
      /HTTP 501/,
      /does not look like a server for --api openai-chat/,
    );
  });
  test('a proxy that does not answer is named, not the server behind it', async () => {
    expectClear(
      await ask(server.url, '--model', 'any', '--proxy', 'http://127.0.0.1:1'),
      3,
      /connection refused/,
      /The proxy 127\.0\.0\.1:1 does not answer/,
    );
  });
});

describe('a dataset that cannot be asked', () => {
  const cases: [string, string, RegExp, RegExp][] = [
    ['missing', 'openqa:gone.jsonl', /gone\.jsonl/, /./],
    ['empty', 'openqa:empty.jsonl', /empty/, /./],
    ['malformed, named by its line', 'openqa:broken.jsonl', /broken\.jsonl:2/, /./],
    ['without the field, which names the fields there are', 'openqa:other.jsonl', /question/, /input/],
    ['of an unknown kind', 'parrot:empty.jsonl', /parrot/, /openqa/],
    ['a folder', 'openqa:a-folder', /a-folder/, /./],
  ];
  test.each(cases)('%s', async (_, spec, what, hint) => {
    const [kind, file] = spec.split(':') as [string, string];
    expectClear(await ask(server.url, '--model', 'any', '--dataset', `${kind}:${path(file)}`), 2, what, hint);
  });
});

describe('words that cannot be meant', () => {
  test('a bad value', async () => {
    expectClear(
      await ask(server.url, '--concurrency', '0'),
      2,
      /--concurrency: "0" is not a whole number/,
      /Give a whole number/,
    );
  });
  test('an unknown flag, with the one that was meant', async () => {
    expectClear(await ask(server.url, '--concurency', '4'), 2, /--concurency/, /--concurrency/);
  });
  test('an unknown command, with the one that was meant', async () => {
    expectClear(await dyno(['swep']), 2, /swep/, /dyno sweep/);
  });
  test('no server at all', async () => {
    expectClear(await ask(), 2, /no server/, /dyno engine/);
  });
  test('several values where one is meant', async () => {
    expectClear(await ask(server.url, '--concurrency', '1,2'), 2, /list/, /dyno sweep/);
  });
  test('an environment variable that is not set', async () => {
    expectClear(
      await ask(server.url, '--key-env', 'NO_SUCH_KEY'),
      2,
      /--key-env: names an environment variable that is not set/,
      /export/,
    );
  });
  test('three mistakes in one plan file are reported together, each with its line', async () => {
    const done = await ask(path('three.yaml'));
    expectClear(done, 2, /three\.yaml:2 concurrency: "zero"/, /whole number/);
    expect(done.err).toMatch(/three\.yaml:3 request: .*not a setting/);
    expect(done.err).toMatch(/Did you mean requests/);
    expect(done.err).toMatch(/three\.yaml:4 read-timeout: "soon" is not a duration/);
  });
  test('a plan file that is no plan', async () => {
    expectClear(await ask(path('list.yaml')), 2, /not a plan/, /concurrency: 16/);
    expectClear(await ask(path('bad.yaml')), 2, /bad\.yaml:\d+: not YAML/, /Mend/);
    expectClear(await ask(path('gone.yaml')), 2, /gone\.yaml: cannot read/, /Check the path/);
  });
  test('the same in Chinese', async () => {
    const done = await dyno(['run', '--store', path('store')], { env: { LANG: 'zh_CN.UTF-8' } });
    expectClear(done, 2, /错误: 没有指定要测试的服务器/, /模拟引擎/);
  });
  test('a store that cannot be written', async () => {
    const done = await dyno(['run', server.url, '-n', '1', '--store', '/proc/nowhere']);
    expectClear(done, 2, /\/proc\/nowhere/, /./);
  });
  test('nothing of all this left a run behind', async () => {
    expect((await dyno(['runs', '--store', path('store')])).out).toBe('');
  });
});
