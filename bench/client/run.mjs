// Clients side by side against one stamped server: node bench/client/run.mjs [--repeats 3] [--quick] [--only 'C epoll,llmdyno']
// Needs gcc and python3 (aiohttp goes into a throw-away venv); the server has one core, each client in turn the other.
// The figures of docs/validation/client.md come from it.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';

const here = new URL('.', import.meta.url).pathname;
const flag = (name, fallback) =>
  process.argv.includes(name) ? (process.argv[process.argv.indexOf(name) + 1] ?? true) : fallback;
const repeats = Number(flag('--repeats', 3));
const quick = process.argv.includes('--quick');
const only = String(flag('--only', '')).split(',').filter(Boolean);
const work = mkdtempSync(join(tmpdir(), 'llmdyno-clients-'));
const sh = (command, args, options) => {
  const done = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 26, ...options });
  if (done.status !== 0) throw new Error(`${command} ${args.join(' ')}: ${done.stderr || done.error}`);
  return done.stdout;
};
for (const name of ['stamped-server', 'reader']) sh('gcc', ['-O2', '-o', join(work, name), join(here, `${name}.c`)]);
sh(process.execPath, [join(here, '../../scripts/build.mjs')]);
const venv = process.env.LLMDYNO_BENCH_VENV ?? join(tmpdir(), 'llmdyno-bench-venv');
if (!existsSync(join(venv, 'bin/python'))) sh('python3', ['-m', 'venv', venv]);
sh(join(venv, 'bin/pip'), ['install', '-q', 'aiohttp']);

const pinned = (core, command, args) => ['taskset', ['-c', String(core), command, ...args]];
const clients = {
  'C epoll (limit)': (port, streams, requests) => pinned(0, join(work, 'reader'), [port, streams, requests]),
  // A measured run begins with warm code and open connections (--warmup), as C begins compiled.
  llmdyno: (port, streams, requests) =>
    pinned(0, process.execPath, [join(here, 'dyno-client.mjs'), port, streams, requests, '--warmup', '200']),
  'aiohttp, vLLM-like': (port, streams, requests) =>
    pinned(0, join(venv, 'bin/python'), [join(here, 'aiohttp-clients.py'), 'vllm', port, streams, requests]),
  'aiohttp, as benchmark_serving.py': (port, streams, requests) =>
    pinned(0, join(venv, 'bin/python'), [join(here, 'aiohttp-clients.py'), 'vllm-script', port, streams, requests]),
  'aiohttp, evalscope-like': (port, streams, requests) =>
    pinned(0, join(venv, 'bin/python'), [join(here, 'aiohttp-clients.py'), 'evalscope', port, streams, requests]),
};
// name, events per answer, gap in µs (0 = saturated), streams, requests, requests for the slow clients (0 = they are left out)
const loads = [
  ['1,000 streams × 20 ms gaps', 250, 20_000, 1000, 1000, 1000],
  // The same for half a minute: the beginning and the end of all streams at once are a smaller part of it.
  ['1,000 streams × 20 ms gaps, 1,500 tokens each', 1500, 20_000, 1000, 1000, 0],
  ['10,000 streams × 200 ms gaps', 25, 200_000, 10_000, 10_000, 10_000],
  ['saturated, 200 events per answer', 200, 0, 1000, 10_000, 2000],
  ['saturated, 2,000 events per answer', 2000, 0, 500, 2000, 200],
  ['one-token answers', 1, 0, 200, 100_000, 5000],
].slice(0, quick ? 1 : 6);

async function withServer(events, gapUs, use) {
  const server = spawn('taskset', ['-c', '1', join(work, 'stamped-server'), '0', String(events), String(gapUs)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await new Promise((resolve) => server.stdout.once('data', (text) => resolve(String(text).trim())));
  try {
    return use(port);
  } finally {
    server.kill();
  }
}

/** What a hypervisor has taken of the client's core, ms; null = this system does not say. */
function stolen() {
  if (!existsSync('/proc/stat')) return null;
  const core = /^cpu0 (.*)$/m.exec(readFileSync('/proc/stat', 'utf8'));
  return core === null ? null : Number(core[1].split(' ')[7]) * 10;
}

const median = (values) =>
  values.filter((value) => value !== null && value !== undefined).toSorted((a, b) => a - b)[
    Math.floor(values.length / 2)
  ] ?? null;
const results = [];
for (const [name, events, gapUs, streams, requests, slowRequests] of loads) {
  const taking = Object.entries(clients)
    .map(([client, command]) => ({
      client,
      command,
      count: client.startsWith('aiohttp') ? slowRequests : requests,
      runs: [],
    }))
    .filter(({ client, count }) => count > 0 && (only.length === 0 || only.some((part) => client.includes(part))));
  // In turns: a machine's good and bad minutes fall on all of them alike.
  for (let i = 0; i < repeats; i++) {
    for (const { client, command, count, runs } of taking) {
      const [program, args] = command(...[0, streams, count].map(String));
      const [stolenBefore, fromMs] = [stolen(), Date.now()];
      const run = await withServer(events, gapUs, (port) => {
        const list = args.map((arg, at) => (arg === '0' && args[at + 1] === String(streams) ? port : arg));
        return spawnSync(program, list, { encoding: 'utf8', maxBuffer: 1 << 26, timeout: 300_000 });
      });
      const stolenRatio = stolenBefore === null ? null : (stolen() - stolenBefore) / (Date.now() - fromMs);
      if (run.status === 0) runs.push({ ...JSON.parse(run.stdout), stolenRatio });
      else console.error(`${client}: ${run.stderr?.slice(0, 300)}`);
    }
  }
  for (const { client, runs } of taking) {
    const of = (key) => median(runs.map((run) => run[key]));
    const row = {
      load: name,
      client,
      p50Ms: of('p50Ms'),
      p99Ms: of('p99Ms'),
      typicalP99Ms: of('binP99Ms'),
      eventsPerSec: median(runs.map((run) => run.events / run.seconds)),
      requestsPerSec: median(runs.map((run) => run.requests / run.seconds)),
      cpuRatio: of('cpuRatio'),
      rssMB: of('rssMB'),
      lost: median(runs.map((run) => run.lost ?? 0)),
      runs: runs.length,
      stolenRatio: of('stolenRatio'),
      p99sMs: runs.map((run) => Number(run.p99Ms.toFixed(3))),
    };
    results.push(row);
    console.log(JSON.stringify(row));
  }
}

const show = (value, digits) =>
  value === null || value === undefined
    ? '–'
    : value >= 1000
      ? Math.round(value).toLocaleString('en-US')
      : value.toFixed(digits);
const table = [
  '| load | client | stamp error p50 ms | p99 ms | typical p99 ms | events/s | requests/s | CPU of a core | memory MB | lost | stolen % | runs |',
  '|---|---|---|---|---|---|---|---|---|---|---|---|',
  ...results.map(
    (r) =>
      `| ${r.load} | ${r.client} | ${show(r.p50Ms, 3)} | ${show(r.p99Ms, 2)} | ${show(r.typicalP99Ms, 2)} | ${show(r.eventsPerSec, 0)} | ${show(r.requestsPerSec, 0)} | ${show(r.cpuRatio, 2)} | ${show(r.rssMB, 0)} | ${r.lost} | ${show(r.stolenRatio === null ? null : 100 * r.stolenRatio, 1)} | ${r.runs} |`,
  ),
].join('\n');
console.log(
  `${cpus()[0].model}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}; medians of ${repeats} runs\n${table}`,
);
