// What a client costs its server: pace and processor time per token of a FastAPI front of one process (front.py) beside each client.
// node bench/client/observer.mjs [--repeats 5] [--only 'C polls,llmdyno'] [--other DIR] [--pinned] [--crowded]
// Needs Linux, gcc and python3 (packages go into a throw-away venv in .tmp). --other: a second built checkout, such as one of main.
// --pinned: front and client have one core each. --crowded: front, client and a process that never rests share two cores.
// The observer's table of docs/validation/client.md comes from it.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const here = new URL('.', import.meta.url).pathname;
const text = { type: 'string' };
const flag = { type: 'boolean' };
const { values } = parseArgs({ options: { repeats: text, only: text, other: text, pinned: flag, crowded: flag } });
const repeats = Number(values.repeats ?? 5);
const only = (values.only ?? '').split(',').filter(Boolean);
const work = mkdtempSync(join(tmpdir(), 'llmdyno-observer-'));
const run = (command, args, options) => {
  const done = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 26, ...options });
  if (done.status !== 0) throw new Error(`${command} ${args.join(' ')}: ${done.stderr || done.error}`);
  return done.stdout;
};
const reader = join(work, 'reader');
run('gcc', ['-O2', '-o', reader, join(here, 'reader.c')]);
const venv = process.env.LLMDYNO_BENCH_VENV ?? join(here, '../../.tmp/bench-venv');
const python = join(venv, 'bin/python');
if (!existsSync(python)) run('python3', ['-m', 'venv', venv]);
run(python, ['-m', 'pip', 'install', '-q', 'aiohttp', 'fastapi', 'uvicorn', 'uvloop', 'httptools']);

const all = `0-${availableParallelism() - 1}`;
const cores = values.crowded
  ? { front: '0,1', client: '0,1' }
  : values.pinned
    ? { front: '1', client: '0' }
    : { front: all, client: all };
const dyno = (tree) => [process.execPath, join(tree, 'bench/client/dyno-client.mjs')];
const clients = {
  'C reader that sleeps': [reader],
  'C reader that polls': [reader],
  'aiohttp, vLLM-like': [python, join(here, 'aiohttp-clients.py'), 'vllm'],
  llmdyno: dyno(join(here, '../..')),
  ...(values.other !== undefined && { 'llmdyno, other': dyno(values.other) }),
};
// name, streams, tokens of each, ms of a step (0 = the next begins at once)
const loads = [
  ['128 streams, saturated', 128, 1500, 0],
  ['256 streams × 12 ms', 256, 250, 12],
];

async function ask(url) {
  for (let tries = 0; tries < 200; tries++) {
    try {
      return await (await fetch(url)).json();
    } catch {
      await sleep(50);
    }
  }
  throw new Error(`nothing answers at ${url}`);
}

/** One client against a front of its own; what the front and the client say of it. */
async function measure(name, [command, ...before], [, streams, tokens, stepMs], port) {
  const pinned = (where, ...words) => spawn('taskset', ['-c', where, ...words.map(String)], { stdio: 'ignore' });
  const others = [pinned(cores.front, python, '-W', 'ignore', join(here, 'front.py'), port, tokens, stepMs)];
  if (values.crowded) others.push(pinned('0,1', 'sh', '-c', 'while :; do :; done'));
  try {
    const url = `http://127.0.0.1:${port}`;
    await ask(`${url}/v1/models`);
    const args = [...before, port, streams, streams, ...(name.endsWith('polls') ? ['poll'] : [])].map(String);
    const own = JSON.parse(run('taskset', ['-c', cores.client, command, ...args], { timeout: 120_000 }));
    const front = await ask(`${url}/taken`);
    return {
      pace: front.tokens / front.seconds,
      usPerToken: (1e6 * front.cpuSeconds) / front.tokens,
      p50Ms: own.p50Ms,
      p99Ms: own.p99Ms,
      cpuRatio: own.cpuRatio,
      pollRatio: own.pollRatio ?? null,
    };
  } finally {
    for (const other of others) other.kill('SIGKILL');
  }
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const taking = Object.entries(clients).filter(
  ([name]) => only.length === 0 || only.some((part) => name.includes(part)),
);
const rows = [];
let port = 18_200;
for (const load of loads) {
  const runs = new Map(taking.map(([name]) => [name, []]));
  // In turns: a host's good and bad minutes fall on all of them alike.
  for (let i = 0; i < repeats; i++)
    for (const [name, command] of taking) runs.get(name).push(await measure(name, command, load, port++));
  for (const [name, of] of runs) {
    const spread = (key, digits) => {
      const found = of.map((each) => each[key]);
      return found.includes(null)
        ? '–'
        : `${median(found).toFixed(digits)} (${Math.min(...found).toFixed(digits)} to ${Math.max(...found).toFixed(digits)})`;
    };
    rows.push(
      `| ${load[0]} | ${name} | ${spread('pace', 0)} | ${spread('usPerToken', 2)} | ${spread('p50Ms', 3)} | ${spread('p99Ms', 2)} | ${spread('cpuRatio', 2)} | ${spread('pollRatio', 2)} |`,
    );
  }
}
console.log(
  [
    `${cpus()[0].model}, ${cpus().length} cores, Node ${process.versions.node}; medians of ${repeats} runs in turns, and their range`,
    "| load | client | the front's tokens/s | its processor time a token, µs | stamp error p50 ms | p99 ms | client's CPU of a core | polled |",
    '|---|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n'),
);
