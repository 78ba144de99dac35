// What the page costs and how quick it is, in a real browser: start to first page, JavaScript of the first page, opening a run
// of 100,000 requests, and what watching a run live costs the load generator (dyno selftest with and without readers).
// Prints Markdown. Usage: node scripts/build.mjs && node bench/ui.mjs [--streams 1000] [--rounds 3] [--requests 100000]
// --only pages or --only watching prints one half.
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
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
    only: { type: 'string', default: '' },
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

/** What `dyno selftest` finds while its parts are kept in the store, with so many readers of the live events of each. */
async function selftest(ui, readers) {
  const known = new Set(await readdir(store));
  const test = begin(['selftest', '--concurrency', values.streams, '--keep', '--json', '--lenient', '--store', store]);
  const stop = new AbortController();
  const headers = { authorization: `Bearer ${new URL(ui).searchParams.get('token')}` };
  let events = 0;
  const read = async (id) => {
    try {
      let answer;
      // A folder is there a moment before its plan is.
      do answer = await fetch(new URL(`/api/v1/runs/${id}/live`, ui), { headers, signal: stop.signal });
      while (!answer.ok);
      const { body } = answer;
      for await (const piece of body) events += Buffer.from(piece).toString().split('event: ').length - 1;
    } catch {}
  };
  const reading = [];
  let over = false;
  const ended = test.done.then(() => (over = true));
  // With nobody reading the folder is looked at all the same, so that the two differ in nothing else.
  while (!over) {
    for (const id of await readdir(store)) {
      if (known.has(id) || id === '.trash') continue;
      known.add(id);
      for (let i = 0; i < readers; i++) reading.push(read(id));
    }
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 100))]);
  }
  stop.abort();
  await Promise.all(reading);
  return { ...JSON.parse(await test.done), events };
}

/** The table of `dyno selftest` with nobody and with readers, in turn; whether the stamps can tell them apart. */
async function watching(ui) {
  console.log(
    `\n| \`dyno selftest --concurrency ${values.streams} --keep\` | stamp error p50 | p99 | typical p99 | schedule slip p50 | p99 | CPU of the client | verdict | live events read |\n|---|---|---|---|---|---|---|---|---|`,
  );
  const figures = { 0: [], 1: [] };
  for (let round = 0; round < Number(values.rounds); round++)
    for (const readers of round % 2 === 0 ? [0, Number(values.readers)] : [Number(values.readers), 0]) {
      const { timestampErrorMs: error, scheduleSlipMs: slip, cpuRatio, verdict, events } = await selftest(ui, readers);
      figures[readers === 0 ? 0 : 1].push(error);
      const word = verdict.valid ? 'valid' : verdict.findings.map(({ code }) => code).join(', ');
      console.log(
        `| round ${round + 1}, ${readers} readers | ${ms(error.p50)} ms | ${ms(error.p99)} ms | ${ms(error.binP99)} ms | ${ms(slip.p50)} ms | ${ms(slip.p99)} ms | ${ms(cpuRatio)} | ${word} | ${events} |`,
      );
    }
  console.log('\n| range over the rounds | 0 readers | with readers |\n|---|---|---|');
  for (const [name, key] of [
    ['stamp error p50', 'p50'],
    ['stamp error p99', 'p99'],
  ])
    console.log(`| ${name} | ${range(figures[0], key)} | ${range(figures[1], key)} |`);
}

const range = (list, key) => {
  const sorted = list.map((one) => one[key]).toSorted((a, b) => a - b);
  return `${ms(sorted[0])} to ${ms(sorted.at(-1))} ms (median ${ms(sorted[sorted.length >> 1])})`;
};

const ms = (value) =>
  value === null || value === undefined ? '–' : value >= 100 ? value.toFixed(0) : value.toFixed(2);
/** The first page and a large run. */
async function pages() {
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
  await end(ui);
}

try {
  console.log(`${cpus().length} cores, ${cpus()[0].model.trim()}, node ${process.versions.node}\n`);
  if (values.only !== 'watching') await pages();
  if (values.only !== 'pages') {
    const ui = begin(['ui', '--port', '0', '--no-open', '--store', store]);
    await watching(await ui.line);
    await end(ui);
  }
} finally {
  await browser.close();
  await rm(store, { recursive: true, force: true });
}
