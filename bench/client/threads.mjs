// What threads give: `dyno run --threads N` against several stamped servers that write as fast as they can, one core each, on a host with many cores.
// node bench/client/threads.mjs [--threads 1,2,4] [--servers 6] [--streams 512] [--events 2000] [--answers 12000] [--repeats 3] [--server BINARY] [--main FILE]
// Needs gcc, or the stamped server built elsewhere (--server). The servers have the last cores, the client all others. Prints a JSON line per run and
// one with the medians and their ratios to the first number of threads.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';

const here = new URL('.', import.meta.url).pathname;
const word = (name, fallback) =>
  process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : fallback;
const [servers, streams, events, answers, repeats] = [
  ['--servers', '6'],
  ['--streams', '512'],
  ['--events', '2000'],
  ['--answers', '12000'],
  ['--repeats', '3'],
].map(([name, fallback]) => Number(word(name, fallback)));
const threads = word('--threads', '1,2,4').split(',').map(Number);
const main = word('--main', new URL('../../dist/cli/main.js', import.meta.url).pathname);
const cores = availableParallelism();
if (cores < servers + Math.max(...threads))
  throw new Error(`${servers} servers and ${Math.max(...threads)} threads need that many cores; here are ${cores}`);
const work = mkdtempSync(join(tmpdir(), 'llmdyno-threads-'));
const binary = word('--server', join(work, 'server'));
if (!process.argv.includes('--server')) {
  const built = spawnSync('gcc', ['-O2', '-o', binary, join(here, 'stamped-server.c')], { encoding: 'utf8' });
  if (built.status !== 0) throw new Error(built.stderr);
}
const running = Array.from({ length: servers }, (_, i) =>
  spawn('taskset', ['-c', String(cores - 1 - i), binary, '0', String(events), '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  }),
);
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

function measured(urls, count) {
  const store = mkdtempSync(join(work, 'store-'));
  const others = urls.slice(1).flatMap((url) => ['--also-at', url]);
  const load = ['--concurrency', streams, '-n', answers, '--warmup', streams, '--threads', count].map(String);
  const quiet = ['--model', 'm', '--no-preflight', '--devices', 'none', '--metrics', 'none', '--json', '--quiet'];
  const command = [main, 'run', urls[0], ...others, ...load, ...quiet, '--lenient', '--store', store];
  const ran = spawnSync('taskset', ['-c', `0-${cores - servers - 1}`, process.execPath, ...command], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  rmSync(store, { recursive: true });
  if (ran.status !== 0) throw new Error(ran.stderr);
  const { counts, durationMs, client } = JSON.parse(ran.stdout);
  return {
    threads: count,
    planned: counts.planned,
    ok: counts.ok,
    seconds: durationMs / 1000,
    // From the first ask to the last record on disk.
    eventsPerSec: (counts.ok * events * 1000) / durationMs,
    cpuRatio: client.cpuRatio,
  };
}

try {
  const urls = await Promise.all(
    running.map(
      (server) =>
        new Promise((resolve) =>
          server.stdout.once('data', (text) => resolve(`http://127.0.0.1:${String(text).trim()}`)),
        ),
    ),
  );
  const rates = new Map(threads.map((count) => [count, []]));
  for (let i = 0; i < repeats; i++)
    for (const count of threads) {
      const run = measured(urls, count);
      rates.get(count).push(run.eventsPerSec);
      console.log(JSON.stringify(run));
    }
  const medians = threads.map((count) => median(rates.get(count)));
  console.log(
    JSON.stringify({
      cores,
      servers,
      streams,
      events: events * answers,
      threads,
      eventsPerSec: medians,
      times: medians.map((rate) => rate / medians[0]),
    }),
  );
} finally {
  for (const server of running) server.kill();
  rmSync(work, { recursive: true });
}
