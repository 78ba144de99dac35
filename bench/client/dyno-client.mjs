// `dyno run` against the stamped server, told in the same JSON line as the other clients: receive errors from the run's
// own records. Usage: dyno-client.mjs PORT STREAMS REQUESTS [more flags of dyno run]
import { spawnSync } from 'node:child_process';
import { createReadStream, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [port, streams, requests, ...more] = process.argv.slice(2);
const store = mkdtempSync(join(tmpdir(), 'llmdyno-bench-'));
const main = new URL('../../dist/cli/main.js', import.meta.url).pathname;
const args = [
  'run',
  `http://127.0.0.1:${port}`,
  // The other clients watch nothing beside the load either.
  '--devices',
  'none',
  '--metrics',
  'none',
  '--model',
  'm',
  '--no-preflight',
  '--concurrency',
  streams,
  '-n',
  requests,
];
const ran = spawnSync(process.execPath, [main, ...args, '--json', '--lenient', '--quiet', '--store', store, ...more], {
  encoding: 'utf8',
  maxBuffer: 1 << 28,
});
if (ran.status !== 0) throw new Error(ran.stderr);
const summary = JSON.parse(ran.stdout);
const errors = [];
const bins = new Map();
let events = 0;
const lines = createInterface({ input: createReadStream(join(store, readdirSync(store)[0], 'exchanges.ndjson')) });
for await (const line of lines) {
  const { chunks, warmup } = JSON.parse(line);
  if (warmup) continue;
  for (const [i, at] of chunks.atMs.entries()) {
    events += chunks.tokens[i];
    if (!chunks.emittedMs) continue;
    const error = at - chunks.emittedMs[i];
    errors.push(error);
    const bin = Math.floor(at / 100);
    if (!bins.has(bin)) bins.set(bin, []);
    bins.get(bin).push(error);
  }
}
rmSync(store, { recursive: true });
const sortedOf = (values) => Float64Array.from(values).sort();
const quantile = (sorted, q) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? null;
const sorted = sortedOf(errors);
const at = (q) => quantile(sorted, q);
// What p99 is in a typical tenth of a second: stalls of the host and the storm of a thousand beginnings stay out of it.
const binP99Ms = quantile(sortedOf([...bins.values()].map((values) => quantile(sortedOf(values), 0.99))), 0.5);
console.log(
  JSON.stringify({
    client: 'llmdyno',
    requests: summary.counts.ok,
    lost: summary.counts.planned - summary.counts.ok,
    unaccounted: summary.counts.unaccounted,
    events,
    seconds: summary.durationMs / 1000,
    cpuRatio: summary.client.cpuRatio,
    pollRatio: summary.client.pollRatio,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    binP99Ms,
    maxMs: sorted.at(-1) ?? null,
    rssMB: summary.client.rssMaxBytes / 1048576,
    valid: summary.verdict.valid,
  }),
);
