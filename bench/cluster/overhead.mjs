// What the cluster path costs per exchange and per token stamp: the same plan in one process, and on one worker through
// Redis, against the same simulated engine. CPU time of every process involved, so a busy host matters little.
// Usage: npm run build && node bench/cluster/overhead.mjs [--requests 3000] [--tokens 64]     (needs redis-server)
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '3000' }, tokens: { type: 'string', default: '64' } },
});
const requests = Number(values.requests);
const tokens = Number(values.tokens);
const main = new URL('../../dist/cli/main.js', import.meta.url).pathname;
const dir = mkdtempSync(join(tmpdir(), 'llmdyno-overhead-'));
const children = [];
const start = (command, args) => {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  return child;
};
const said = (child, stream, pattern) =>
  new Promise((resolve) => {
    let text = '';
    child[stream].setEncoding('utf8').on('data', (piece) => {
      text += piece;
      if (pattern.test(text)) resolve(text);
    });
  });
/** CPU seconds that a process has taken so far. */
const cpuSec = ({ pid }) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
};
const port = await new Promise((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port: free } = server.address();
    server.close(() => resolve(free));
  });
});
const redis = start('redis-server', [
  '--port',
  String(port),
  '--bind',
  '127.0.0.1',
  '--dir',
  dir,
  '--appendonly',
  'yes',
  '--save',
  '',
]);
await said(redis, 'stdout', /eady to accept/);
const engine = start(process.execPath, [main, 'engine', '--port', '0', '--speed', '20']);
const url = (await said(engine, 'stdout', /\n/)).trim();
const where = `redis://127.0.0.1:${port}`;
const worker = start(process.execPath, [main, 'worker', where, '--name', 'w']);
await said(worker, 'stderr', /waits on queue/);

/** One run; CPU seconds of the process itself (told by the shell) and of the others meanwhile. */
function measure(more) {
  const words = [
    '--concurrency',
    '64',
    '-n',
    String(requests),
    '--max-tokens',
    String(tokens),
    '--ignore-eos',
    '--no-text',
  ];
  const common = ['--metrics', 'none', '--devices', 'none', '--lenient', '--json', '--quiet', '--threads', '1'];
  const before = { redis: cpuSec(redis), worker: cpuSec(worker) };
  const line = [process.execPath, main, 'run', url, ...words, ...common, '--store', join(dir, 'runs'), ...more];
  const ran = spawnSync('bash', ['-c', 'TIMEFORMAT="%U %S"; time "$@" >"$0"', join(dir, 'out.json'), ...line], {
    encoding: 'utf8',
  });
  const summary = JSON.parse(readFileSync(join(dir, 'out.json'), 'utf8'));
  if (summary.counts.ok !== requests) throw new Error(JSON.stringify(summary.counts));
  const [user, system] = ran.stderr.trim().split('\n').at(-1).split(' ').map(Number);
  return { own: user + system, redis: cpuSec(redis) - before.redis, worker: cpuSec(worker) - before.worker };
}

const micros = (seconds) => ((seconds / requests) * 1e6).toFixed(0);
const start1 = measure(['-n', String(requests)]);
console.log(`${cpus()[0].model}, ${availableParallelism()} cores, Node ${process.versions.node}`);
console.log(`${requests} requests of ${tokens} tokens, 64 in flight; µs of CPU per exchange:`);
let overhead = [];
for (let round = 1; round <= 3; round++) {
  const alone = round === 1 ? start1 : measure([]);
  const team = measure(['--workers', where]);
  const all = team.own + team.redis + team.worker;
  console.log(
    `  one process ${micros(alone.own)}; on a worker: worker ${micros(team.worker)}, Redis ${micros(team.redis)}, controller ${micros(team.own)}, together ${micros(all)}`,
  );
  overhead.push((all - alone.own) / requests);
}
overhead = overhead.toSorted((a, b) => a - b);
console.log(
  `overhead of the cluster path (median of 3): ${(overhead[1] * 1e6).toFixed(0)} µs per exchange, ${((overhead[1] / tokens) * 1e6).toFixed(2)} µs per token stamp`,
);
for (const child of children) child.kill('SIGKILL');
rmSync(dir, { recursive: true, force: true });
process.exit(0);
