// What the controller of a run over many machines can take in: batches of exchanges lie in a Redis stream as workers put
// them there; they are read, parsed, booked, put in order and handed on, and then written to a run folder and metered too.
// Usage: node bench/cluster/ingest.mjs [--exchanges 200000] [--tokens 16]     (needs redis-server)
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const { values } = parseArgs({
  options: { exchanges: { type: 'string', default: '200000' }, tokens: { type: 'string', default: '16' } },
});
const exchanges = Number(values.exchanges);
const tokens = Number(values.tokens);
const dir = mkdtempSync(join(tmpdir(), 'llmdyno-ingest-'));
const outfile = join(dir, 'ingest.mjs');
await build({
  stdin: {
    contents: `
      export { openRedis } from './client/cluster/redis.ts';
      export { RunStreams } from './client/cluster/run-streams.ts';
      export { PhaseControl } from './client/cluster/phase-control.ts';
      export { AckTracker } from './client/cluster/ack-tracker.ts';
      export { newMember } from './client/cluster/members.ts';
      export { runKeys } from './client/cluster/keys.ts';
      export { unsentExchange, ResultQueue } from './client/load/index.ts';
      export { executeRun } from './lab/execute-run.ts';
      export { createRun } from './results/store/index.ts';`,
    resolveDir: new URL('../../src', import.meta.url).pathname,
    loader: 'ts',
  },
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  logLevel: 'error',
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
});
const room = await import(pathToFileURL(outfile).href);

const port = await new Promise((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port: free } = server.address();
    server.close(() => resolve(free));
  });
});
const redisServer = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--save', ''], {
  stdio: 'ignore',
});
const place = { url: `redis://127.0.0.1:${port}`, user: null, password: null, ca: null };
const redis = room.openRedis(place);
const members = 4;
const perBatch = 250;
const plan = {
  label: null,
  target: { url: 'http://127.0.0.1:1/', api: 'openai-chat', model: 'm', headers: {}, keyEnv: null, insecure: false },
  dataset: { spec: 'none', kind: 'none', name: 'none', hash: null, items: 1, bytes: null, offset: 0, cycled: true },
  generation: {
    stream: true,
    maxTokens: tokens,
    minTokens: null,
    temperature: null,
    ignoreEos: true,
    stop: [],
    body: {},
  },
  load: { kind: 'closed', concurrency: 1000, ratePerSec: null, arrival: { process: 'closed' }, dropLate: false },
  requests: exchanges,
  durationMs: null,
  warmup: null,
  timeouts: { connectMs: null, ttftMs: null, readMs: null, totalMs: null },
  seed: 1,
  slo: [],
  keepText: false,
};

/** As a worker makes them: a stamp per token, whole microseconds. */
function exchange(seq, worker) {
  const sentMs = seq / 50 + 0.123;
  const atMs = Array.from({ length: tokens }, (_, i) => Math.round((sentMs + 100 + 20.007 * i) * 1000) / 1000);
  return {
    ...room.unsentExchange({ seq, warmup: false, dueMs: sentMs }, atMs.at(-1) + 0.5, 'ok', null),
    promptId: `random-${seq}`,
    labels: { worker },
    sentMs,
    firstByteMs: atMs[0],
    chunks: { atMs, tokens: atMs.map(() => 1), kinds: 'a'.repeat(tokens) },
    inputTokens: { planned: 100, server: 100, client: null },
    outputTokens: { planned: null, server: tokens, client: null },
    inputChars: 400,
    outputChars: 4 * tokens,
    finish: 'stop',
    httpStatus: 200,
    attempts: 1,
  };
}

async function fill(keys) {
  let bytes = 0;
  let pipeline = redis.pipeline();
  for (let from = 0, number = 0; from < exchanges; from += perBatch, number++) {
    const member = `m${number % members}`;
    const ended = Array.from({ length: Math.min(perBatch, exchanges - from) }, (_, i) => ({
      exchange: exchange(from + i, member),
      answer: null,
    }));
    const upToMs = ended.at(-1).exchange.endMs;
    const batch = JSON.stringify({ member, number, phase: 'measure', upToMs, progress: [0, 0, 0, 1, 0], ended });
    bytes += batch.length;
    pipeline.xadd(keys.results, '*', 'b', batch);
    if (number % 50 === 49) {
      await pipeline.exec();
      pipeline = redis.pipeline();
    }
  }
  await pipeline.exec();
  return bytes;
}

/** Reads the stream as the controller does and hands every exchange on. */
function ingest(keys, emit, done) {
  const everyone = new Map(
    Array.from({ length: members }, (_, i) => [`m${i}`, room.newMember(`m${i}`, { name: `m${i}` }, { rttMs: 1 })]),
  );
  const kept = new room.AckTracker();
  let seen = 0;
  const phase = new room.PhaseControl({
    phase: 'measure',
    plan,
    limits: { requests: exchanges, durationMs: null },
    talks: null,
    members: everyone,
    resend: false,
    nobodyMs: 30_000,
    nowMs: () => 0,
    order: () => {},
    emit: (ended) => {
      kept.emitted(ended);
      emit(ended);
      if (++seen === exchanges) done();
    },
  });
  phase.begin(0, [...everyone.values()]);
  let batches = 0;
  const streams = new room.RunStreams(redis, room.openRedis(place), keys, {
    word: () => {},
    strange: () => {
      throw new Error('a batch was not understood');
    },
    claim: () => {},
    batch: (batch, entry) => {
      phase.take(everyone.get(batch.member), batch, (fresh) => kept.came(entry, fresh));
      if (++batches === Math.ceil(exchanges / perBatch)) phase.close(null);
    },
    round: () => {},
  });
  streams.start();
  return streams;
}

async function timed(name, work) {
  const [wall, cpu] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  const cpuSec = (user + system) / 1e6;
  const wallSec = (performance.now() - wall) / 1000;
  console.log(
    `${name}: ${Math.round(exchanges / wallSec).toLocaleString('en')} exchanges/s, ` +
      `${((cpuSec / exchanges) * 1e6).toFixed(1)} µs CPU each, ${((cpuSec / exchanges / tokens) * 1e9).toFixed(0)} ns per token stamp`,
  );
}

const keys = room.runKeys('bench', 't');
const bytes = await fill(keys);
console.log(`${cpus()[0].model}, ${availableParallelism()} cores, Node ${process.versions.node}`);
console.log(`${exchanges} exchanges of ${tokens} token stamps, ${Math.round(bytes / exchanges)} bytes each in Redis`);
for (let round = 1; round <= 3; round++)
  await timed(`read, booked, put in order (${round})`, async () => {
    let streams;
    await new Promise((resolve) => {
      streams = ingest(keys, () => {}, resolve);
    });
    await streams.stop();
  });
await timed('and written to a run folder and metered', async () => {
  const results = new room.ResultQueue();
  let streams;
  const runner = {
    simulated: false,
    monotonicOriginNs: '0',
    health: () => null,
    state: () => ({ nowMs: 0, due: 0, sent: 0, inFlight: 0, ok: 0, failed: 0 }),
    kept: () => {},
    run: () => {
      streams = ingest(
        keys,
        (ended) => results.push({ record: () => ended }),
        () => results.close(),
      );
      return results;
    },
  };
  const about = {
    plan,
    startedAt: new Date().toISOString(),
    simulated: false,
    monotonicOriginNs: '0',
    llmdyno: '0',
    command: null,
  };
  const writer = await room.createRun(join(dir, 'store'), about);
  const stop = new AbortController().signal;
  const summary = await room.executeRun({ plan, runner, writer, stops: { drain: stop, cancel: stop } });
  if (summary.counts.ok !== exchanges) throw new Error(JSON.stringify(summary.counts));
  await streams.stop();
});
redis.disconnect();
redisServer.kill('SIGKILL');
rmSync(dir, { recursive: true, force: true });
process.exit(0);
