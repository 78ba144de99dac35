import { createInterface } from 'node:readline';
import { findTools, hostFiles, sample } from '../../client/telemetry/index.ts';
import type { SamplerOrders } from './start-telemetry.ts';

// The file that a run's sampler process runs: it takes its orders as the first line of stdin, samples until stdin ends, and
// prints one JSON line for each sample, times in ms of CLOCK_MONOTONIC.
const stop = new AbortController();
// Ctrl-C belongs to the run: it decides when sampling ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
// A run that was killed reads no more.
process.stdout.on('error', () => process.exit());
const input = createInterface({ input: process.stdin });
const orders = await new Promise<SamplerOrders | null>((resolve) => {
  input.once('line', (line) => resolve(JSON.parse(line) as SamplerOrders));
  input.once('close', () => {
    stop.abort();
    resolve(null);
  });
});
if (orders !== null) {
  await sample(
    {
      intervalMs: orders.intervalMs,
      tools: orders.devices ? findTools(process.env) : null,
      metricsUrls: orders.metricsUrls,
      metricsGuessed: orders.metricsGuessed,
      metricsHeaders: orders.metricsHeaders,
      insecure: orders.insecure,
      files: orders.host ? hostFiles() : null,
      nowMs: () => Number(process.hrtime.bigint()) / 1e6,
      emit: (line) => void process.stdout.write(`${JSON.stringify(line)}\n`),
    },
    stop.signal,
  );
  // With nothing left to sample it still waits for the end of the run, which tells the two apart.
  if (!stop.signal.aborted)
    await new Promise((resolve) => stop.signal.addEventListener('abort', resolve, { once: true }));
}
input.close();
