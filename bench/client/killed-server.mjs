// A server of another's making, killed (SIGKILL) in the middle of 2,000 requests: over HTTP/1.1 and HTTP/2, in the clear and over TLS.
// node bench/client/killed-server.mjs HYPERCORN [NGHTTPD]. The first is hypercorn's command (PyPI, in a venv), which runs test/real/asgi-answers.py; the
// second nghttpd's (Debian: nghttp2-server), which serves one whole answer as a file. Needs a build. One JSON line per case.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [hypercorn, nghttpd] = process.argv.slice(2);
const root = new URL('../../', import.meta.url).pathname;
const dyno = join(root, 'dist/cli/main.js');
const certificate = [join(root, 'test/fixtures/tls/key.pem'), join(root, 'test/fixtures/tls/cert.pem')];
const [key, cert] = certificate;
const work = mkdtempSync(join(tmpdir(), 'llmdyno-killed-'));
const path = 'v1/chat/completions';
mkdirSync(join(work, 'v1/chat'), { recursive: true });
const answer = {
  choices: [{ message: { content: 'a b' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 2 },
};
writeFileSync(join(work, path), JSON.stringify(answer));

const freePort = () =>
  new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
async function listening(port) {
  for (let i = 0; i < 400; i++) {
    const up = await new Promise((resolve) => {
      const socket = net.connect(port, '127.0.0.1', () => resolve(socket.destroy() !== null));
      socket.on('error', () => resolve(false));
    });
    if (up) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the server does not listen');
}

/** Whether a run in this store has written records. */
function recorded(store) {
  try {
    const files = readdirSync(store, { recursive: true }).filter((file) => /exchanges/.test(file));
    return files.some((file) => statSync(join(store, file)).size > 0);
  } catch {
    return false;
  }
}

/** Starts a server, and kills it once so many requests have been answered. */
async function play({ name, secure, http2, start, more }) {
  const port = await freePort();
  const server = start(port, secure);
  let ended = false;
  const end = () => {
    clearInterval(watch);
    // With its workers: it leads a process group of its own.
    if (!ended) process.kill(-server.pid, 'SIGKILL');
    ended = true;
  };
  await listening(port);
  const url = `${secure ? 'https' : 'http'}://127.0.0.1:${port}`;
  const given = [
    'run',
    url,
    '--model',
    'any',
    '--concurrency',
    '32',
    '-n',
    '2000',
    '--max-tokens',
    '12',
    '--insecure',
    '--no-preflight',
  ];
  const flags = [...given, '--json', '--store', join(work, `store-${port}`), ...(http2 ? ['--http2'] : []), ...more];
  const client = spawn(process.execPath, [dyno, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let told = '';
  client.stdout.setEncoding('utf8').on('data', (piece) => (out += piece));
  client.stderr.setEncoding('utf8').on('data', (piece) => (told += piece));
  // Once its first records are on disk it is in the middle: the rate makes the run six seconds long.
  const store = join(work, `store-${port}`);
  const watch = setInterval(() => {
    if (recorded(store)) end();
  }, 50);
  const exit = await new Promise((resolve) => client.on('close', resolve));
  end();
  let counts = null;
  try {
    ({ counts } = JSON.parse(out));
  } catch {
    told = told.slice(-500);
  }
  const balanced = counts !== null && counts.ok + counts.failed === 2000;
  const { ok, failed, byProblem } = counts ?? {};
  console.log(
    JSON.stringify({
      name,
      secure,
      http2,
      lenient: more.includes('--lenient'),
      exit,
      balanced,
      ok,
      failed,
      byProblem,
      ...(counts === null && { told }),
    }),
  );
}

const asgi = (port, secure) => {
  const tls = secure ? ['--certfile', cert, '--keyfile', key] : [];
  return spawn(hypercorn, ['--bind', `127.0.0.1:${port}`, ...tls, 'asgi-answers:app'], {
    cwd: join(root, 'test/real'),
    stdio: 'ignore',
    detached: true,
  });
};
const files = (port, secure) =>
  spawn(
    nghttpd,
    [...(secure ? [] : ['--no-tls']), '-d', work, '-a', '127.0.0.1', String(port), ...(secure ? certificate : [])],
    { stdio: 'ignore', detached: true },
  );
const pace = ['--rate', '300'];
const ways = [false, true];
// The verdict's own exit code, and that of --lenient, over each transport.
for (const lenient of [[], ['--lenient']])
  for (const secure of ways) {
    for (const http2 of ways)
      await play({ name: 'hypercorn', secure, http2, start: asgi, more: [...lenient, ...pace] });
    if (nghttpd !== undefined)
      await play({ name: 'nghttpd', secure, http2: true, start: files, more: ['--no-stream', ...lenient, ...pace] });
  }
rmSync(work, { recursive: true, force: true });
