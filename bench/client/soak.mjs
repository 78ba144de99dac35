// A soak: streams kept up for minutes against the stamped C server, the client's memory looked at every few seconds.
// node bench/client/soak.mjs [--minutes 10] [--streams 2000] [--gap-us 100000] [--events 250]; needs gcc. Prints one JSON line: memory at minute 2,
// its range from then on, and where every request went. Flat = within 5 % of minute 2 in both directions. What the kernel pages out is counted as held
// (VmSwap), and pages of files that it drops, such as Node's own, are told apart (ownMB = RssAnon + RssShmem + VmSwap): they are not the client's to hold.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quietFlags } from './quiet-flags.mjs';

const here = new URL('.', import.meta.url).pathname;
const flag = (name, fallback) =>
  process.argv.includes(name) ? Number(process.argv[process.argv.indexOf(name) + 1]) : fallback;
const minutes = flag('--minutes', 10);
const streams = flag('--streams', 2000);
const gapUs = flag('--gap-us', 100_000);
/** Events of each answer: with 2 of them 200 streams at 100 ms are a thousand requests a second. */
const events = flag('--events', 250);
const settledMin = Math.min(2, minutes / 2);
const work = mkdtempSync(join(tmpdir(), 'llmdyno-soak-'));
const built = spawnSync('gcc', ['-O2', '-o', join(work, 'server'), join(here, 'stamped-server.c')], {
  encoding: 'utf8',
});
if (built.status !== 0) throw new Error(built.stderr);

const server = spawn(join(work, 'server'), ['0', String(events), String(gapUs)], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const port = await new Promise((resolve) => server.stdout.once('data', (text) => resolve(String(text).trim())));
const main = new URL('../../dist/cli/main.js', import.meta.url).pathname;
// Streams begin one after the other over the length of an answer: begun together they would all be nearly done together, and what
// is held of answers under way would rise and fall with them.
const riseMs = Math.round((events * gapUs) / 1000);
const load = ['--concurrency', String(streams), '--ramp', `${riseMs}ms`, '--duration', `${minutes}m`];
const client = spawn(
  process.execPath,
  [main, 'run', `http://127.0.0.1:${port}`, ...load, ...quietFlags(join(work, 'store'))],
  {
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
let out = '';
client.stdout.setEncoding('utf8').on('data', (piece) => (out += piece));
const begun = performance.now();
const samples = [];
const sampler = setInterval(() => {
  try {
    const status = readFileSync(`/proc/${client.pid}/status`, 'utf8');
    const mb = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)[1]) / 1024;
    const own = mb('RssAnon') + mb('RssShmem') + mb('VmSwap');
    samples.push({ min: (performance.now() - begun) / 60_000, mb: own + mb('RssFile'), own });
  } catch {
    // It has just ended.
  }
}, 5000);
await new Promise((resolve) => client.once('close', resolve));
clearInterval(sampler);
server.kill();
const summary = JSON.parse(out);
// The summing up at the end takes memory of its own; the soak is about the time under load.
const under = samples.filter(({ min }) => min >= settledMin && min <= minutes);
function rangeOf(values) {
  const [there, most, least] = [values[0], Math.max(...values), Math.min(...values)];
  return { there, least, most, last: values.at(-1), flat: most <= 1.05 * there && least >= 0.95 * there };
}
console.log(
  JSON.stringify({
    minutes,
    streams,
    gapUs,
    events,
    fromMinute: settledMin,
    memoryMB: rangeOf(under.map(({ mb }) => mb)),
    ownMB: rangeOf(under.map(({ own }) => own)),
    eachMinuteMB: samples.filter((_, i) => i % 12 === 11).map(({ mb, own }) => [Math.round(mb), Math.round(own)]),
    counts: summary.counts,
    inFlight: summary.steady?.concurrencyAchieved ?? summary.concurrencyAchieved,
    cpuRatio: summary.client.cpuRatio,
    loopDelayP99Ms: summary.client.loopDelayP99Ms,
    gc: summary.client.gc,
    itlMs: { p50: summary.itlMs?.p50, p99: summary.itlMs?.p99 },
    method: summary.percentileMethod,
  }),
);
rmSync(work, { recursive: true, force: true });
