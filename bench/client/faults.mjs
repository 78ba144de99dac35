// Faults of a real server mixed into a load of long answers: are as many in flight as were asked for, until the end?
// node bench/client/faults.mjs [--concurrency 64] [-n 1500]. Needs a build. Prints one JSON line: the mean of requests in flight over the steady
// part (from their own send and end stamps) against what was asked, the engine's count of each fault beside the client's, and sockets left open.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quietFlags } from './quiet-flags.mjs';

const flag = (name, fallback) =>
  process.argv.includes(name) ? Number(process.argv[process.argv.indexOf(name) + 1]) : fallback;
const concurrency = flag('--concurrency', 64);
const requests = flag('-n', 1500);
const main = new URL('../../dist/cli/main.js', import.meta.url).pathname;
/** The engine's word for a fault, and the client's for what it must see of it. */
const faults = {
  reset: 'reset',
  stall: 'timeout-read',
  truncate: 'truncated-stream',
  malformed: 'malformed-stream',
  'stream-error': 'in-stream-error',
  empty: 'empty-answer',
  html: 'not-an-api',
  429: 'http-429',
  500: 'http-5xx',
  503: 'http-5xx',
  drip: null,
};
const work = mkdtempSync(join(tmpdir(), 'llmdyno-faults-'));
const given = Object.keys(faults).flatMap((name) => ['--fault', `${name}:0.01`]);
const engine = spawn(
  process.execPath,
  [main, 'engine', '--port', '0', '--json', '--model', 'm', '--seed', '7', ...given],
  {
    stdio: ['ignore', 'pipe', 'pipe'],
  },
);
let said = '';
engine.stderr.setEncoding('utf8').on('data', (piece) => (said += piece));
const { url } = JSON.parse(await new Promise((resolve) => engine.stdout.once('data', (text) => resolve(String(text)))));
const load = ['--concurrency', String(concurrency), '-n', String(requests), '--max-tokens', '100', '--ignore-eos'];
const client = spawn(process.execPath, [main, 'run', url, ...load, '--read-timeout', '5s', ...quietFlags(work)], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
let out = '';
client.stdout.setEncoding('utf8').on('data', (piece) => (out += piece));
await new Promise((resolve) => client.once('close', resolve));
engine.kill('SIGTERM');
await new Promise((resolve) => engine.once('close', resolve));
const { counts, steady, client: health } = JSON.parse(out);
const injected = {};
for (const [fault, cause] of Object.entries(faults)) {
  if (cause === null) continue;
  injected[cause] = (injected[cause] ?? 0) + Number(new RegExp(`\\b${fault} (\\d+)`).exec(said)?.[1] ?? 0);
}
const inFlight = steady?.concurrencyAchieved ?? null;
console.log(
  JSON.stringify({
    asked: concurrency,
    inFlight,
    ratio: inFlight === null ? null : inFlight / concurrency,
    within1percent: inFlight !== null && inFlight >= 0.99 * concurrency && inFlight <= 1.01 * concurrency,
    counts,
    injected,
    cpuWaitRatio: health.cpuWaitRatio,
  }),
);
rmSync(work, { recursive: true, force: true });
