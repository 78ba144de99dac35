import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dyno, emptyFolder, start } from './dyno.ts';
import type { Running } from './dyno.ts';

interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
}

/** A request as an attacker may write it: any path, any header, nothing tidied up. */
function send(
  base: string,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string | Uint8Array } = {},
): Promise<Answer> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const asked = request(
      { hostname, port, path, method: options.method ?? 'GET', headers: { ...pass, ...options.headers } },
      (answer) => {
        const pieces: Buffer[] = [];
        answer.on('data', (piece: Buffer) => pieces.push(piece));
        answer.on('end', () =>
          resolve({ status: answer.statusCode!, headers: answer.headers, text: Buffer.concat(pieces).toString() }),
        );
        answer.on('error', reject);
      },
    );
    asked.on('error', reject);
    asked.end(options.body);
  });
}

const ours = { 'x-llmdyno': '1', 'content-type': 'application/json' };
let folder: string;
let store: string;
let page: Running;
let base: string;
/** The token of the page on loopback: most attacks are tried by somebody whom it knows. */
let pass: { authorization?: string } = {};
let runId: string;

beforeAll(async () => {
  folder = await emptyFolder();
  store = join(folder, 'store');
  await dyno(['sim', '--concurrency', '4', '-n', '40', '--store', store, '--quiet', '--lenient', '--label', 'victim']);
  runId = readdirSync(store)[0]!;
  // What an attacker would like to read: a secret beside the store, and a link inside it.
  mkdirSync(join(folder, 'outside'));
  writeFileSync(join(folder, 'outside', 'plan.json'), 'top secret');
  symlinkSync(join(folder, 'outside'), join(store, 'link'));
  page = start(['ui', '--port', '0', '--no-open', '--store', store], { env: { SECRET_KEY: 'sk-do-not-tell' } });
  base = (await page.until('out', /\n/)).trim();
  pass = { authorization: `Bearer ${new URL(base).searchParams.get('token')}` };
});
afterAll(async () => {
  page.child.kill('SIGTERM');
  await page.done;
});

describe('a page on loopback', () => {
  test('answers its own address, with a policy that lets nothing else in', async () => {
    const { status, headers } = await send(base, '/');
    expect(status).toBe(200);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(headers['content-security-policy']).not.toMatch(/unsafe|\*/);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['x-frame-options']).toBe('DENY');
  });

  test.each(['evil.example', 'evil.example:80', '127.0.0.1.evil.example', 'localhost.evil.example', '10.0.0.1:4477'])(
    'a Host of %s is refused, so that a name pointed at us by DNS reads nothing',
    async (host) => {
      for (const path of ['/', '/api/v1/runs', `/api/v1/runs/${runId}`])
        expect((await send(base, path, { headers: { host } })).status).toBe(403);
    },
  );

  test.each(['http://evil.example', 'null', 'http://127.0.0.1:1', 'https://localhost'])(
    'an Origin of %s is refused, reading and writing',
    async (origin) => {
      const headers = { ...ours, origin };
      expect((await send(base, '/api/v1/runs', { headers })).status).toBe(403);
      expect((await send(base, `/api/v1/runs/${runId}`, { method: 'DELETE', headers })).status).toBe(403);
      expect((await send(base, '/api/v1/start', { method: 'POST', headers, body: '{}' })).status).toBe(403);
      expect(existsSync(join(store, runId))).toBe(true);
    },
  );

  test('a request that another site made the browser send is refused, header or not', async () => {
    for (const site of ['cross-site', 'same-site']) {
      const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors' };
      expect((await send(base, '/api/v1/runs', { headers })).status).toBe(403);
    }
    // A plain form can post, but it cannot set a header of ours.
    const form = { 'content-type': 'text/plain' };
    expect((await send(base, '/api/v1/start', { method: 'POST', headers: form, body: '{}' })).status).toBe(403);
    expect((await send(base, `/api/v1/runs/${runId}`, { method: 'DELETE' })).status).toBe(403);
  });

  test.each([
    '..%2Foutside',
    '%2E%2E%2Foutside',
    '..',
    '%2e%2e',
    '....%2F%2Foutside',
    '%2Fetc%2Fpasswd',
    '%2Fetc',
    'link',
    '.trash',
    '.',
    'store%2F..%2Foutside',
    '%00',
    'victim',
    'latest',
    'con%5C..%5Coutside',
  ])('the id %s names nothing: only what the listing has is opened', async (id) => {
    for (const rest of ['', '/figures', '/columns', '/live', '/requests/0?at=0', '/report/json'])
      expect((await send(base, `/api/v1/runs/${id}${rest}`)).status).toBe(404);
    expect((await send(base, `/api/v1/runs/${id}`, { method: 'DELETE', headers: ours })).status).toBe(404);
    expect((await send(base, `/api/v1/tunes/${id}`)).status).toBe(404);
    expect(
      (await send(base, `/api/v1/trash/${id}/restore`, { method: 'POST', headers: ours, body: '{}' })).status,
    ).toBe(404);
    for (const [path, body] of [
      ['stop', '{}'],
      ['tags', '{"add":["x"],"remove":[]}'],
    ] as const)
      expect((await send(base, `/api/v1/runs/${id}/${path}`, { method: 'POST', headers: ours, body })).status).toBe(
        404,
      );
    expect((await send(base, `/api/v1/compare?id=${id}&id=${runId}`)).status).toBe(404);
    expect(readdirSync(join(folder, 'outside'))).toEqual(['plan.json']);
  });

  test.each([
    '/../package.json',
    '/..%2f..%2fpackage.json',
    '/assets/../../package.json',
    '//etc/passwd',
    '/etc/passwd',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/index.html%00.js',
  ])('the path %s is no file of the page', async (path) => {
    const { status, text } = await send(base, path);
    expect([status, text]).toEqual([404, 'nothing is here\n']);
  });

  test('a form is not a way to a file, a flag or a secret', async () => {
    const asks = [
      { command: 'run', url: 'plan.yaml', words: { dataset: 'lines:/etc/passwd' } },
      { command: 'run', url: 'http://127.0.0.1:9', words: { store: '/etc' } },
      { command: 'run', url: 'http://127.0.0.1:9', words: { header: 'X: env:SECRET_KEY' } },
      { command: 'run', url: 'http://127.0.0.1:9', words: { 'key-env': 'SECRET_KEY' } },
      { command: 'engine', url: null, words: {} },
      { command: 'sim', url: null, words: { profile: '/etc/passwd' } },
    ];
    for (const ask of asks) {
      const { status } = await send(base, '/api/v1/start', {
        method: 'POST',
        headers: ours,
        body: JSON.stringify(ask),
      });
      expect(status).toBe(400);
    }
    expect((await send(base, '/api/v1/words')).text).not.toContain('sk-do-not-tell');
  });

  test('bodies that are no JSON, have another shape or are huge are refused in words', async () => {
    const post = (body: string): Promise<Answer> =>
      send(base, '/api/v1/start', { method: 'POST', headers: ours, body });
    expect((await post('{')).status).toBe(400);
    expect((await post('[]')).status).toBe(400);
    expect((await post(JSON.stringify({ command: 'run', url: 7, words: {} }))).status).toBe(400);
    expect((await post(`"${'x'.repeat(300_000)}"`)).status).toBe(413);
    expect(JSON.parse((await post('{')).text)).toMatchObject({ mistakes: [{ code: 'bad-body' }] });
  });

  test('an upload beyond the limit is refused, told or not told beforehand, and leaves nothing', async () => {
    const path = '/api/v1/import?name=big.log';
    const told = await send(base, path, {
      method: 'POST',
      headers: { ...ours, 'content-length': String(2 ** 31) },
      body: '',
    }).catch(() => ({ status: 413 }));
    expect(told.status).toBe(413);
    const untold = await send(base, path, {
      method: 'POST',
      headers: { ...ours, 'transfer-encoding': 'chunked' },
      body: new Uint8Array(65 * 1024 * 1024),
    }).catch((error: NodeJS.ErrnoException) => ({ status: error.code }));
    expect([413, 'EPIPE', 'ECONNRESET']).toContain(untold.status);
    expect(readdirSync(store).toSorted()).toEqual([runId, 'link'].toSorted());
  });

  test.each(['../../evil.md', '/etc/cron.d/x', '..\\..\\evil.md', '\u0000', '.bashrc', 'a'.repeat(5000)])(
    'a file named %j is kept nowhere but in a folder of its own',
    async (name) => {
      const { status } = await send(base, `/api/v1/import?name=${encodeURIComponent(name)}`, {
        method: 'POST',
        headers: ours,
        body: 'nothing to import',
      });
      expect(status).toBe(200);
      expect(readdirSync(folder).toSorted()).toEqual(['outside', 'store']);
    },
  );

  test('readers of live events that never read hold up nobody', async () => {
    const { hostname, port } = new URL(base);
    const sockets = Array.from({ length: 8 }, () => {
      const socket = connect(Number(port), hostname);
      socket.pause();
      socket.on('error', () => {});
      socket.write(
        `GET /api/v1/runs/${runId}/live HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: ${pass.authorization}\r\n\r\n`,
      );
      return socket;
    });
    for (let i = 0; i < 20; i++) expect((await send(base, '/api/v1/runs')).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    expect((await send(base, '/api/v1/runs')).status).toBe(200);
  });
});

describe('another user of the same host', () => {
  const nobody = 65_534;
  const mayBecome = process.getuid?.() === 0;

  /** What somebody with this uid is told by a script, a line of JSON. */
  function asNobody(script: string, words: readonly string[]): Promise<unknown> {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, ...words], {
      uid: nobody,
      gid: nobody,
      cwd: '/',
      env: {},
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => (out += piece));
    return new Promise((resolve) => child.once('close', () => resolve(JSON.parse(out))));
  }

  test.runIf(mayBecome)(
    'reads no run, starts nothing and finds no token, though the page is up for its owner',
    async () => {
      const { origin, searchParams } = new URL(base);
      const script = `
      import { readdirSync, readFileSync } from 'node:fs';
      const [origin, pid] = process.argv.slice(1);
      const change = { method: 'POST', headers: { 'x-llmdyno': '1' }, body: '{}' };
      const status = async (path, how) => (await fetch(origin + path, how)).status;
      const asked = [];
      for (const path of ['/', '/api/v1/runs', '/api/v1/words', '/api/v1/openapi.json', '/?token=x'])
        asked.push(await status(path));
      for (const path of ['/start', '/import?name=x', '/runs/x/stop', '/tunes/x/pause'])
        asked.push(await status('/api/v1' + path, change));
      const seen = readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)).flatMap((name) => {
        const read = (file) => { try { return readFileSync('/proc/' + name + '/' + file, 'utf8'); } catch { return ''; } };
        return [read('cmdline'), name === pid ? read('environ') : ''];
      }).join(' ');
      console.log(JSON.stringify({ asked, seen }));`;
      const found = (await asNobody(script, [origin, String(page.child.pid)])) as { asked: number[]; seen: string };
      expect(found.asked).toEqual([401, 401, 401, 401, 401, 401, 401, 401, 401]);
      expect(found.seen).toContain(origin);
      expect(found.seen).not.toContain(searchParams.get('token'));
      expect(found.seen).not.toContain('sk-do-not-tell');
    },
  );

  test('a token file is made for its owner alone, taken again, and refused where others may read it', async () => {
    const file = join(await emptyFolder(), 'token');
    const words = ['ui', '--port', '0', '--no-open', '--store', store, '--token-file', file];
    const tokens = new Set<string>();
    for (let i = 0; i < 2; i++) {
      const own = start(words);
      const address = (await own.until('out', /\n/)).trim();
      const token = readFileSync(file, 'utf8').trim();
      tokens.add(token);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect((await send(address, '/api/v1/runs')).status).toBe(401);
      const headers = { authorization: `Bearer ${token}` };
      expect((await send(address, '/api/v1/runs', { headers })).status).toBe(200);
      own.child.kill('SIGTERM');
      const { out, err } = await own.done;
      expect(out + err).not.toContain(token);
    }
    expect(tokens.size).toBe(1);
    chmodSync(file, 0o644);
    const refused = await dyno(words);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('can be read by other users')]);
  });

  test('a key typed where a variable is named is refused without being repeated', async () => {
    const { code, out, err } = await dyno(['ui', '--port', '0', '--store', store, '--allow-key-env', 'sk_live_4242']);
    expect(code).toBe(2);
    expect(out + err).not.toContain('4242');
  });
});

describe('a page for other machines', () => {
  let exposed: Running;
  let url: URL;
  const own = (): string => `http://127.0.0.1:${url.port}`;

  beforeAll(async () => {
    exposed = start([
      'ui',
      '--port',
      '0',
      '--host',
      '0.0.0.0',
      '--no-open',
      '--store',
      store,
      '--allow-target',
      '10.0.0.7:8000',
    ]);
    url = new URL((await exposed.until('out', /\n/)).trim());
  });
  afterAll(async () => {
    exposed.child.kill('SIGTERM');
    await exposed.done;
  });

  test('refuses everything without the token, with a short one, a wrong one and one that is nearly right', async () => {
    const right = url.searchParams.get('token')!;
    expect(right.length).toBeGreaterThanOrEqual(43);
    const wrong = `${right.slice(0, -1)}${right.endsWith('A') ? 'B' : 'A'}`;
    for (const path of [
      '/',
      '/api/v1/runs',
      '/api/v1/openapi.json',
      '/index.html',
      '/?token=',
      '/?token=x',
      `/?token=${wrong}`,
      `/?token=${right.slice(0, 20)}`,
      `/api/v1/runs?token=${right}`,
    ])
      expect((await send(own(), path)).status).toBe(401);
    const name = `dyno_token_${url.port}`;
    for (const cookie of [`${name}=`, `${name}=x`, `${name}=${wrong}`, `other=${right}`, `dyno_token=${right}`])
      expect((await send(own(), '/api/v1/runs', { headers: { cookie } })).status).toBe(401);
  });

  test('takes the token once by its address, keeps it in a cookie no script can read, and forgets it in the address', async () => {
    const token = url.searchParams.get('token')!;
    const { status, headers } = await send(own(), `/?token=${token}`);
    expect([status, headers.location]).toEqual([303, '/']);
    const [cookie] = headers['set-cookie']!;
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict; Path=\//);
    const kept = cookie!.split(';')[0]!;
    expect((await send(own(), '/api/v1/runs', { headers: { cookie: kept } })).status).toBe(200);
    expect((await send(own(), '/api/v1/runs', { headers: { cookie: kept, host: 'evil.example' } })).status).toBe(403);
  });

  test('starts runs only against the targets that were allowed', async () => {
    const headers = { ...ours, authorization: `Bearer ${url.searchParams.get('token')!}` };
    const body = JSON.stringify({ command: 'run', url: 'http://169.254.169.254/latest', words: {} });
    const { status, text } = await send(own(), '/api/v1/start', { method: 'POST', headers, body });
    expect(status).toBe(400);
    expect(text).toContain('--allow-target');
  });

  test('prints the token once, in the address, and nowhere else', async () => {
    const token = url.searchParams.get('token')!;
    expect((await exposed.until('out', /\n/)).split(token)).toHaveLength(2);
    expect(await exposed.until('err', /\n/)).not.toContain(token);
    expect(exposed.child.spawnargs.join(' ')).not.toContain(token);
  });
});
