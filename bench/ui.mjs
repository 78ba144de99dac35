// What the page costs and how quick it is, in a real browser: start to first page, JavaScript of the first page, opening a run
// of 100,000 requests, and what watching a run live costs the load generator (stamped engine, 1,000 streams, readers or none).
// Prints Markdown. Usage: node scripts/build.mjs && node bench/ui.mjs [--streams 1000] [--rounds 3] [--requests 100000]
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { browserPath } from '../scripts/browser.mjs';

const main = new URL('../dist/cli/main.js', import.meta.url).pathname;
const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '3' },
    requests: { type: 'string', default: '100000' },
    readers: { type: 'string', default: '2' },
  },
});
const store = await mkdtemp(join(tmpdir(), 'dyno-bench-ui-'));

function begin(args) {
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  let text = '';
  const line = new Promise((resolve) =>
    child.stdout.setEncoding('utf8').on('data', (piece) => {
      text += piece;
      if (text.includes('\n')) resolve(text.split('\n')[0]);
    }),
  );
  return { child, line, done: new Promise((resolve) => child.once('close', () => resolve(text))) };
}

const end = async ({ child, done }) => {
  child.kill('SIGTERM');
  await done;
};

const { path: executablePath } = await browserPath();
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });

/** From starting the command to a list that can be used. */
async function firstPage() {
  const page = await browser.newPage();
  const sizes = [];
  page.on('response', (response) => {
    if (response.url().endsWith('.js')) sizes.push(response.body().then((body) => gzipSync(body).length));
  });
  const began = performance.now();
  const ui = begin(['ui', '--port', '0', '--no-open', '--store', store]);
  const url = await ui.line;
  const listeningMs = performance.now() - began;
  await page.goto(url);
  await page.waitForSelector('.runs tbody tr');
  const usableMs = performance.now() - began;
  const jsBytes = (await Promise.all(sizes)).reduce((a, b) => a + b, 0);
  await page.close();
  return { ui, url, listeningMs, usableMs, jsBytes };
}

/** From opening the page of a run to its verdict, its first rows, and all of them; then frames while scrolling. */
async function openLarge(url, id) {
  const page = await browser.newPage();
  const began = performance.now();
  await page.goto(`${url}#/run/${id}`);
  await page.waitForSelector('.verdict');
  const verdictMs = performance.now() - began;
  await page.waitForSelector('.virtual tbody tr:not(.gap) .link');
  const rowsMs = performance.now() - began;
  const count = Number(values.requests).toLocaleString('en-US');
  await page.waitForFunction((all) => document.querySelector('#rows-shown')?.textContent.startsWith(all), count);
  const allMs = performance.now() - began;
  await page.waitForSelector('.figure .plot canvas', { timeout: 120_000 });
  const chartsMs = performance.now() - began;
  const frames = await page.evaluate(async () => {
    const table = document.querySelector('.virtual');
    const gaps = [];
    let last = performance.now();
    for (let i = 0; i < 120; i++) {
      table.scrollTop += 1500;
      await new Promise((resolve) => requestAnimationFrame(resolve));
      gaps.push(performance.now() - last);
      last = performance.now();
    }
    return gaps.sort((a, b) => a - b);
  });
  await page.close();
  return { verdictMs, rowsMs, allMs, chartsMs, frameP50Ms: frames[60], frameP95Ms: frames[113] };
}

/** Error of the client's stamps in a run of a stamped engine, with so many pages following it live. */
async function stampErrors(engineUrl, ui, readers) {
  const before = new Set(await readdir(store));
  const run = begin([
    'run',
    engineUrl,
    '--concurrency',
    values.streams,
    '-n',
    String(4 * Number(values.streams)),
    '--max-tokens',
    '60',
    '--ignore-eos',
    '--no-text',
    '--lenient',
    '--quiet',
    '--store',
    store,
  ]);
  let id;
  while (id === undefined) {
    id = (await readdir(store)).find((name) => !before.has(name) && name !== '.trash');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const stop = new AbortController();
  let events = 0;
  const reading = Array.from({ length: readers }, async () => {
    try {
      const { body } = await fetch(`${ui}api/v1/runs/${id}/live`, { signal: stop.signal });
      for await (const piece of body) events += Buffer.from(piece).toString().split('\nevent:').length;
    } catch {}
  });
  await run.done;
  stop.abort();
  await Promise.all(reading);
  const errors = [];
  const lines = (await readFile(join(store, id, 'exchanges.ndjson'), 'utf8')).split('\n').filter(Boolean);
  for (const line of lines) {
    const { chunks } = JSON.parse(line);
    for (const [i, at] of chunks.atMs.entries())
      if (chunks.emittedMs !== undefined) errors.push(at - chunks.emittedMs[i]);
  }
  errors.sort((a, b) => a - b);
  const { client } = JSON.parse(await readFile(join(store, id, 'summary.json'), 'utf8'));
  const q = (rank) => errors[Math.min(errors.length - 1, Math.floor(rank * errors.length))];
  return {
    n: errors.length,
    p50: q(0.5),
    p99: q(0.99),
    loopP99: client?.loopDelayP99Ms ?? null,
    cpu: client?.cpuRatio ?? null,
    events,
  };
}

const ms = (value) =>
  value === null || value === undefined ? '–' : value >= 100 ? value.toFixed(0) : value.toFixed(2);
try {
  await begin([
    'sim',
    '--concurrency',
    '256',
    '-n',
    values.requests,
    '--dataset',
    'random',
    '--input-tokens',
    '100',
    '--output-tokens',
    '100',
    '--no-text',
    '--quiet',
    '--lenient',
    '--store',
    store,
    '--label',
    'large',
  ]).done;
  const id = (await readdir(store))[0];
  console.log(`${cpus().length} cores, ${cpus()[0].model.trim()}, node ${process.versions.node}\n`);
  const starts = [];
  for (let i = 0; i < Number(values.rounds); i++) {
    const one = await firstPage();
    starts.push(one);
    await end(one.ui);
  }
  starts.sort((a, b) => a.usableMs - b.usableMs);
  const middle = starts[starts.length >> 1];
  console.log('| from starting `dyno ui` | ms |\n|---|---|');
  console.log(
    `| it listens | ${ms(middle.listeningMs)} |\n| the list of runs can be used | ${ms(middle.usableMs)} (best ${ms(starts[0].usableMs)}) |`,
  );
  console.log(`\nJavaScript of the first page: ${(middle.jsBytes / 1000).toFixed(1)} kB compressed (gzip).\n`);
  const { ui, url } = await firstPage();
  const opened = [];
  for (let i = 0; i < Number(values.rounds); i++) opened.push(await openLarge(url, id));
  opened.sort((a, b) => a.allMs - b.allMs);
  const large = opened[opened.length >> 1];
  console.log(
    `| opening a run of ${Number(values.requests).toLocaleString('en-US')} requests (190 MB on disk at 100 tokens each) | ms |\n|---|---|`,
  );
  for (const [name, key] of [
    ['verdict and figures', 'verdictMs'],
    ['first rows of the table', 'rowsMs'],
    ['all rows, sorted and filtered at will', 'allMs'],
    ['charts', 'chartsMs'],
    ['a frame while scrolling, p50', 'frameP50Ms'],
    ['a frame while scrolling, p95', 'frameP95Ms'],
  ])
    console.log(`| ${name} | ${ms(large[key])} |`);
  const engine = begin(['engine', '--port', '0', '--stamp']);
  const engineUrl = await engine.line;
  console.log(
    `\n| ${values.streams} streams, stamped engine | stamp error p50 | p99 | loop delay p99 | CPU of the client | live events read |\n|---|---|---|---|---|---|`,
  );
  for (let round = 0; round < Number(values.rounds); round++)
    for (const readers of [0, Number(values.readers)]) {
      const { p50, p99, loopP99, cpu, events } = await stampErrors(engineUrl, url, readers);
      console.log(
        `| round ${round + 1}, ${readers} readers | ${ms(p50)} ms | ${ms(p99)} ms | ${ms(loopP99)} ms | ${ms(cpu)} | ${events} |`,
      );
    }
  await end(engine);
  await end(ui);
} finally {
  await browser.close();
  await rm(store, { recursive: true, force: true });
}
