// Sends on time: an open loop, Poisson, of `dyno run` beside a C timerfd loop, in turn, against the stamped server.
// node bench/client/poisson.mjs [--rate 1000] [--seconds 20] [--repeats 3] [--free]; needs gcc. Lateness = sent − due; rateRatio = sends per second
// over those of the schedule itself (the draw's own rate, so chance is not counted). Prints a JSON line per run and one with the medians.
// `--free` lets both loops use every core, as a user's run does; without it each has one core alone, which llmdyno's main thread shares with
// the threads that compile, collect and write for it.
import { spawn, spawnSync } from 'node:child_process';
import { createReadStream, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const here = new URL('.', import.meta.url).pathname;
const flag = (name, fallback) =>
  process.argv.includes(name) ? Number(process.argv[process.argv.indexOf(name) + 1]) : fallback;
const rate = flag('--rate', 1000);
const seconds = flag('--seconds', 20);
const repeats = flag('--repeats', 3);
const work = mkdtempSync(join(tmpdir(), 'llmdyno-poisson-'));
for (const name of ['stamped-server', 'timerfd']) {
  const built = spawnSync('gcc', ['-O2', '-o', join(work, name), join(here, `${name}.c`), '-lm'], { encoding: 'utf8' });
  if (built.status !== 0) throw new Error(built.stderr);
}
const free = process.argv.includes('--free');
// The server and the client each have a core of their own, unless told otherwise.
const on = (core, command, args) => (free ? [command, args] : ['taskset', ['-c', String(core), command, ...args]]);
const [serverCore, clientCore] = availableParallelism() > 1 ? [1, 0] : [0, 0];
const server = spawn(...on(serverCore, join(work, 'stamped-server'), ['0', '1', '0']), {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const port = await new Promise((resolve) => server.stdout.once('data', (text) => resolve(String(text).trim())));
const main = new URL('../../dist/cli/main.js', import.meta.url).pathname;

function byTimerfd(seed) {
  const ran = spawnSync(...on(clientCore, join(work, 'timerfd'), [port, rate, seconds, seed].map(String)), {
    encoding: 'utf8',
  });
  if (ran.status !== 0) throw new Error(`timerfd: ${ran.stderr}`);
  return JSON.parse(ran.stdout);
}

async function byDyno(seed) {
  const store = mkdtempSync(join(work, 'store-'));
  const load = ['--rate', String(rate), '--duration', `${seconds}s`, '--seed', String(seed), '--warmup', '500'];
  const quiet = ['--model', 'm', '--no-preflight', '--devices', 'none', '--metrics', 'none', '--no-text'];
  const args = [main, 'run', `http://127.0.0.1:${port}`, ...load, ...quiet, '--json', '--quiet', '--lenient'];
  const ran = spawnSync(...on(clientCore, process.execPath, [...args, '--store', store]), {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (ran.status !== 0) throw new Error(ran.stderr);
  const summary = JSON.parse(ran.stdout);
  const late = [];
  const sends = [];
  const dues = [];
  const lines = createInterface({ input: createReadStream(join(store, readdirSync(store)[0], 'exchanges.ndjson')) });
  for await (const line of lines) {
    const { warmup, dueMs, sentMs } = JSON.parse(line);
    if (warmup || sentMs === null) continue;
    late.push(sentMs - dueMs);
    sends.push(sentMs);
    dues.push(dueMs);
  }
  late.sort((a, b) => a - b);
  const span = (values) =>
    values.reduce((m, v) => Math.max(m, v), -Infinity) - values.reduce((m, v) => Math.min(m, v), Infinity);
  return {
    client: 'llmdyno',
    sends: sends.length,
    unaccounted: summary.counts.unaccounted,
    failed: summary.counts.failed,
    p50Ms: late[Math.floor(late.length / 2)],
    p99Ms: late[Math.floor(late.length * 0.99)],
    maxMs: late.at(-1),
    // The summary must tell the same lateness: never unreported.
    reportedP99Ms: summary.latenessMs?.p99 ?? null,
    rateRatio: span(dues) / span(sends),
    cpuRatio: summary.client.cpuRatio,
  };
}

const runs = { c: [], dyno: [] };
for (let i = 0; i < repeats; i++) {
  runs.c.push(byTimerfd(i + 1));
  console.log(JSON.stringify(runs.c.at(-1)));
  runs.dyno.push(await byDyno(i + 1));
  console.log(JSON.stringify(runs.dyno.at(-1)));
}
server.kill();
rmSync(work, { recursive: true, force: true });
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const of = (list, key) => median(list.map((run) => run[key]));
const p50 = of(runs.dyno, 'p50Ms') / of(runs.c, 'p50Ms');
const p99 = of(runs.dyno, 'p99Ms') / of(runs.c, 'p99Ms');
const off = Math.max(...runs.dyno.map((run) => Math.abs(run.rateRatio - 1)));
console.log(
  JSON.stringify({
    rate,
    seconds,
    repeats,
    p50TimesC: p50,
    p99TimesC: p99,
    worstRateError: off,
    holds: p50 <= 3 && p99 <= 3 && off <= 0.003,
  }),
);
