import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Summary } from '../../src/core/index.ts';
import { dyno, emptyFolder, engine, start } from './dyno.ts';
import type { Done } from './dyno.ts';

const main = join(import.meta.dirname, '../../dist/cli/main.js');

/** Runs a command that may write files of 32 KiB at the most: what is behind that, the file system refuses. */
function withSmallFiles(words: readonly string[]): Promise<Done> {
  const script = 'ulimit -f 64; exec "$@"';
  const child = spawn('sh', ['-c', script, 'sh', process.execPath, main, ...words], {
    env: { PATH: process.env['PATH'], LANG: 'C' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (said.out += piece));
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (said.err += piece));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...said })));
}

describe('what breaks off a run that had begun', () => {
  test('a file system that takes no more is no mistake of the command line (2) and no bug (70)', async () => {
    const store = join(await emptyFolder(), 'store');
    const { code, err } = await withSmallFiles([
      'sim',
      '--concurrency',
      '8',
      '-n',
      '3000',
      '--store',
      store,
      '--quiet',
    ]);
    expect(code).toBe(6);
    expect(err).toMatch(/exchanges\.ndjson: the file system said EFBIG/);
    const [run] = readdirSync(store);
    // What was written before stays, in whole lines but the last.
    expect(readFileSync(join(store, run!, 'exchanges.ndjson'), 'utf8').split('\n').length).toBeGreaterThan(5);
  });

  test('a store that is deleted meanwhile costs the folder and not the figures: they are told, and where they could not go', async () => {
    const store = join(await emptyFolder(), 'store');
    const server = await engine(['--speed', '20']);
    const words = [
      'run',
      server.url,
      '--concurrency',
      '2',
      '-n',
      '300',
      '--max-tokens',
      '20',
      '--store',
      store,
      '--json',
    ];
    const running = start([...words, '--lenient']);
    const recorded = (): number => {
      try {
        return readFileSync(join(store, readdirSync(store)[0]!, 'exchanges.ndjson'), 'utf8').split('\n').length;
      } catch {
        return 0;
      }
    };
    while (recorded() < 10) await new Promise((resolve) => setTimeout(resolve, 20));
    rmSync(store, { recursive: true, force: true });
    const { code, out, err } = await running.done;
    await server.stop();
    const summary = JSON.parse(out) as Summary;
    expect([summary.counts.planned, summary.counts.ok + summary.counts.failed]).toEqual([300, 300]);
    expect(code).toBe(6);
    expect(err).toContain(store);
    expect(err).toMatch(/summary\.json|answers\.ndjson|telemetry\.ndjson/);
  });
});

describe('pictures where the native part of the drawing library is missing', () => {
  test('are SVG, with a warning and exit code 0', async () => {
    const folder = await emptyFolder();
    const store = join(folder, 'store');
    const sweep = ['sim', '--concurrency', '1,2', '-n', '20', '--lenient', '--quiet', '--label', 'drawn'];
    await dyno([...sweep, '--store', store]);
    // What a foreign processor's node_modules does: the module is there, and its native part cannot be found.
    const hook = `export async function resolve(name, context, next) {
      if (name.startsWith('@resvg/')) throw new Error('Cannot find native binding');
      return next(name, context);
    }`;
    writeFileSync(join(folder, 'hook.mjs'), hook);
    const register = "import { register } from 'node:module';\nregister('./hook.mjs', import.meta.url);\n";
    writeFileSync(join(folder, 'register.mjs'), register);
    const env = { NODE_OPTIONS: `--import=${join(folder, 'register.mjs')}` };
    const asked = join(folder, 'panel.png');
    const { code, out, err } = await dyno(['report', 'drawn', '--as', 'png', '--out', asked, '--store', store], {
      env,
    });
    expect([code, out.trim()]).toEqual([0, join(folder, 'panel.svg')]);
    expect(err).toMatch(/warning: PNG cannot be drawn here.*Cannot find native binding.*npm install/);
    expect(readFileSync(join(folder, 'panel.svg'), 'utf8')).toMatch(/^<svg/);
  });
});

describe('figures that were rejected', () => {
  test('keep what is left from being called clean', async () => {
    const folder = await emptyFolder();
    const file = join(folder, 'table.md');
    const rows = ['| Concurrency | QPS | Mean TTFT (ms) |', '|---|---|---|', '| 1 | 2.0 | 1e999 |', '| 2 | 4.0 | 12 |'];
    writeFileSync(file, `# results\n\n${rows.join('\n')}\n`);
    const { code, out, err } = await dyno(['audit', file]);
    expect(err).toContain('not a usable number');
    expect(out).not.toMatch(/: clean$/m);
    expect(out).toMatch(/incomplete|unusable/);
    expect(code).toBe(5);
    const document = JSON.parse((await dyno(['audit', file, '--json'])).out) as { points: { status: string }[] };
    expect(document.points.map(({ status }) => status)).not.toContain('clean');
  });
});

describe('the page', () => {
  test('goes on answering while it imports a document of 15 MB, and says nothing of whoever went away', async () => {
    const store = join(await emptyFolder(), 'store');
    mkdirSync(store);
    const page = start(['ui', '--port', '0', '--no-open', '--store', store]);
    const address = new URL((await page.until('out', /\n/)).trim());
    const headers = { authorization: `Bearer ${address.searchParams.get('token')}`, 'x-llmdyno': '1' };
    // Half an upload, and nobody any more.
    await new Promise<void>((resolve) => {
      const socket = connect(Number(address.port), '127.0.0.1', () => {
        const lines = Object.entries({ host: address.host, ...headers, 'content-length': '1000000' });
        socket.write(
          `POST /api/v1/import?name=half.json HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n{"a":`,
          () => socket.destroy(),
        );
      });
      socket.once('close', () => resolve());
    });
    const request = { model: 'm', latency: 1.25, success: true, prompt_tokens: 10, completion_tokens: 20 };
    const document = JSON.stringify(Array.from({ length: 160_000 }, (_, i) => ({ ...request, id: i })));
    expect(document.length).toBeGreaterThan(15_000_000);
    let over = false;
    const imported = fetch(new URL('/api/v1/import?name=big.json', address), {
      method: 'POST',
      headers,
      body: document,
    }).then(async (answer) => {
      over = true;
      return answer.status;
    });
    let answered = 0;
    while (!over) {
      expect((await fetch(new URL('/api/v1/runs', address), { headers })).status).toBe(200);
      if (!over) answered++;
    }
    expect(await imported).toBe(200);
    // Were it done in the page's own thread, one or two would be answered before and after it.
    expect(answered).toBeGreaterThan(5);
    page.child.kill('SIGTERM');
    expect((await page.done).err).not.toMatch(/\bat\b.*:\d+:\d+|Error/);
  });
});
