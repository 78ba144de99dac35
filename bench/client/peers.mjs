// Real clients from PyPI beside ours against one stamped server: node bench/client/peers.mjs [--repeats 3] [--quick]
// [--minutes 10] [--streams N] [--only a,b] [--install] [--write]. Needs gcc, python3, bash and taskset. The server has core 1, each client
// in turn core 0. Each tool goes into its own venv under LLMDYNO_PEERS (else llmdyno-peers in the system's temporary
// folder) and stays there; `--install` does only that. `--write` keeps the tables in docs/validation/client-peers.md.
import { spawn, spawnSync } from 'node:child_process';
import { createReadStream, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { measuredRun } from './measured-run.mjs';
import { flags, installPeers } from './peer-tools.mjs';
import { peerTables } from './peer-tables.mjs';

const CLIENT_CORE = 0;
const SERVER_CORE = 1;
const RUN_LIMIT_MS = 180_000;
const here = new URL('.', import.meta.url).pathname;
const has = (name) => process.argv.includes(name);
const flag = (name, fallback) => (has(name) ? process.argv[process.argv.indexOf(name) + 1] : fallback);
const repeats = Number(flag('--repeats', has('--quick') ? 1 : 3));
const endAt = performance.now() + Number(flag('--minutes', 10)) * 60_000;
const peers = installPeers(process.env.LLMDYNO_PEERS ?? join(tmpdir(), 'llmdyno-peers'));
if (has('--install')) process.exit(0);

const work = mkdtempSync(join(tmpdir(), 'llmdyno-peer-runs-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
const sh = (command, args) => {
  const done = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 26 });
  if (done.status !== 0) throw new Error(`${command} ${args.join(' ')}: ${done.stderr || done.error}`);
  return done.stdout;
};
for (const name of ['stamped-server', 'reader']) sh('gcc', ['-O2', '-o', join(work, name), join(here, `${name}.c`)]);
sh(process.execPath, [join(here, '../../scripts/build.mjs')]);
// This process looks at memory twice a second: not on the clients' core.
sh('taskset', ['-apc', String(SERVER_CORE), String(process.pid)]);

// A tokenizer of made-up words, because the tools want one; the server's token counts are what they use.
const tokenizer = join(work, 'tokenizer');
mkdirSync(tokenizer);
const vocab = Object.fromEntries(
  ['[UNK]', ...Array.from({ length: 2999 }, (_, i) => `w${i}`)].map((word, i) => [word, i]),
);
writeFileSync(
  join(tokenizer, 'tokenizer.json'),
  JSON.stringify({
    version: '1.0',
    added_tokens: [
      { id: 0, content: '[UNK]', single_word: false, lstrip: false, rstrip: false, normalized: false, special: true },
    ],
    pre_tokenizer: { type: 'Whitespace' },
    model: { type: 'WordLevel', vocab, unk_token: '[UNK]' },
  }),
);
writeFileSync(
  join(tokenizer, 'tokenizer_config.json'),
  JSON.stringify({ tokenizer_class: 'PreTrainedTokenizerFast', unk_token: '[UNK]' }),
);

// `monotonic + this = wall`, the largest of some tries: the one least interrupted between its two looks.
const WALL = 'import time; print(max((time.time_ns() - time.monotonic_ns() for _ in range(1000))) / 1e9)';
const peerRecords = (name, dir) => {
  const wall = name === 'guidellm' ? [sh('python3', ['-c', WALL]).trim()] : [];
  return JSON.parse(sh('python3', [join(here, 'peer-records.py'), name, dir, ...wall]));
};

const spread = (values) => {
  const sorted = Float64Array.from(values).sort();
  const at = (q) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))];
  return sorted.length === 0
    ? null
    : { n: sorted.length, mean: sorted.reduce((a, b) => a + b) / sorted.length, p50: at(0.5), p99: at(0.99) };
};
async function dynoRecords(dir, stdout) {
  const summary = JSON.parse(stdout);
  const errors = [];
  const gaps = [];
  const span = { ms: 0, tokens: 0, from: Infinity, to: -Infinity };
  const file = join(dir, readdirSync(dir)[0], 'exchanges.ndjson');
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const { chunks, warmup } = JSON.parse(line);
    const emitted = chunks?.emittedMs;
    if (warmup || !emitted) continue;
    for (const [i, at] of chunks.atMs.entries()) {
      errors.push(at - emitted[i]);
      if (i > 0 && chunks.tokens[i - 1] === 1) gaps.push(emitted[i] - emitted[i - 1]);
    }
    span.ms += emitted.at(-1) - emitted[0];
    span.from = Math.min(span.from, emitted[0]);
    span.to = Math.max(span.to, emitted.at(-1));
    span.tokens += chunks.tokens.slice(0, -1).reduce((a, b) => a + b, 0);
  }
  const truth = spread(gaps);
  return {
    error: spread(errors),
    // A read may hold several events and keeps the first one's stamp: the mean counts all of them.
    truth: truth && { ...truth, mean: span.ms / span.tokens },
    held: span.to > span.from ? span.ms / (span.to - span.from) : null,
    itl: summary.itlMs,
    ttft: summary.ttftMs,
    ok: summary.counts.ok,
    failed: summary.counts.planned - summary.counts.ok - summary.counts.unaccounted,
    requestsPerSec: summary.requestsPerSec,
  };
}

const clients = {
  'C epoll (limit)': {
    command: (load) => [join(work, 'reader'), [load.port, load.streams, load.requests]],
    read: (dir, stdout) => {
      const told = JSON.parse(stdout);
      return {
        error: { p50: told.p50Ms, p99: told.p99Ms, n: told.events },
        ok: told.requests,
        failed: 0,
        requestsPerSec: told.requests / told.seconds,
        rssMB: told.rssMB,
      };
    },
  },
  llmdyno: {
    command: (load) => [
      process.execPath,
      [
        join(here, '../../dist/cli/main.js'),
        'run',
        `http://127.0.0.1:${load.port}`,
        ...flags({
          model: 'm',
          'no-preflight': true,
          // The other clients watch nothing beside the load either.
          devices: 'none',
          metrics: 'none',
          json: true,
          lenient: true,
          quiet: true,
          store: load.dir,
          concurrency: load.streams,
          warmup: load.warmup,
        }),
        '-n',
        load.requests,
      ],
    ],
    read: dynoRecords,
  },
  ...Object.fromEntries(
    peers.map((peer) => [
      `${peer.name} ${peer.version}`,
      {
        ...peer,
        command: (load) => [peer.program, peer.args({ ...load, tokenizer })],
        read: (dir) => peerRecords(peer.name, dir),
      },
    ]),
  ),
};
const only = flag('--only', '')?.split(',').filter(Boolean);
const chosen = Object.entries(clients).filter(
  ([name]) => only.length === 0 || only.some((word) => name.startsWith(word)),
);
const few = Number(flag('--streams', 0));
const loads = few
  ? [{ streams: few, requests: few * 2, events: 50, gapMs: 20, warmup: few }]
  : [
      { streams: 1000, requests: 1000, events: 250, gapMs: 20, warmup: 200 },
      { streams: 100, requests: 200, events: 100, gapMs: 20, warmup: 100 },
    ];

// The last of what it said, without frames around it and without our folder's name.
const reason = (text) =>
  text
    .replaceAll(work, '')
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
    .replaceAll(/cpu-seconds.*|\s+/g, ' ')
    .trim()
    .slice(-300);

async function oneRun(client, load, number) {
  const dir = join(work, `run-${number}`);
  mkdirSync(dir);
  const args = [0, load.events, load.gapMs * 1000, ...(client.stampsInText ? ['text'] : [])].map(String);
  const server = spawn('taskset', ['-c', String(SERVER_CORE), join(work, 'stamped-server'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const port = await new Promise((resolve) => server.stdout.once('data', (text) => resolve(String(text).trim())));
    const prompts = Array.from({ length: load.requests + load.warmup }, () => 'why is the sky blue');
    writeFileSync(join(work, 'prompts.txt'), `${prompts.join('\n')}\n`);
    writeFileSync(join(work, 'prompts.jsonl'), `${prompts.map((text) => JSON.stringify({ text })).join('\n')}\n`);
    const [command, words] = client.command({ ...load, port, dir, prompts: join(work, 'prompts') });
    const ran = await measuredRun(command, words.map(String), {
      core: CLIENT_CORE,
      timeoutMs: Math.max(1000, Math.min(RUN_LIMIT_MS, endAt - performance.now())),
      cwd: dir,
      env: client.env ?? {},
    });
    if (ran.timedOut) return { problem: 'not finished in time' };
    if (ran.status !== 0) return { problem: `exit ${ran.status}: ${reason(ran.stdout + ran.stderr)}` };
    const told = await client.read(dir, ran.stdout);
    return { rssMB: ran.rssMB, cpuSec: ran.cpuSec, ...told, lost: load.requests - told.ok - told.failed };
  } catch (problem) {
    return { problem: reason(String(problem.message)) };
  } finally {
    server.kill();
    rmSync(dir, { recursive: true, force: true });
  }
}

// Repeats outermost: when time runs out every client has lost about the same.
const rows = loads.flatMap((load) =>
  chosen.map(([name, client]) => ({
    load,
    name,
    client,
    runs: [],
    failures: 0,
    tookMs: 0,
    problem: client.problem ?? null,
  })),
);
let number = 0;
for (let repeat = 0; repeat < repeats; repeat++)
  for (const row of rows) {
    const begun = performance.now();
    // What was never installed or failed at once will not do better; what cannot end in time is not begun.
    if ((row.problem !== null && row.runs.length === 0) || begun + row.tookMs > endAt) continue;
    const run = await oneRun(row.client, row.load, number++);
    row.tookMs = performance.now() - begun;
    console.log(JSON.stringify({ streams: row.load.streams, client: row.name, ...run }));
    if (run.problem === undefined) row.runs.push(run);
    else Object.assign(row, { problem: run.problem, failures: row.failures + 1 });
  }

const tables = peerTables(rows);
console.log(tables);
if (has('--write')) {
  const tools = peers.map((peer) => `${peer.name} ${peer.version} (${peer.python ?? 'not installed'})`).join(', ');
  const machine = `${cpus()[0].model}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}; ${tools}`;
  const made = `Made by \`node bench/client/peers.mjs --write\` on ${new Date().toISOString().slice(0, 10)}: ${machine}.`;
  writeFileSync(
    new URL('../../docs/validation/client-peers.md', import.meta.url),
    `# Our client beside real ones\n\n${made}\n\n${sh('cat', [join(here, 'peers.md')])}\n${tables}`,
  );
}
