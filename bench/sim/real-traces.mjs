// Traces of real vLLM servers (test/fixtures/request-traces, published by others), fitted on the first quarter, scored on the rest.
//   node bench/sim/real-traces.mjs [--bare]        --bare: the fit is told no setting of the server
import { readdirSync, readFileSync } from 'node:fs';
import { percent, sources } from './sources.mjs';

const { fitTrace, readTrace } = await sources();
const folder = new URL('../../test/fixtures/request-traces/', import.meta.url);
const servers = JSON.parse(readFileSync(new URL('servers.json', folder), 'utf8'));
const bare = process.argv.includes('--bare');
for (const file of readdirSync(folder).filter((name) => name.endsWith('.jsonl'))) {
  const { requests } = readTrace(readFileSync(new URL(file, folder), 'utf8'), file);
  const settings = bare ? {} : servers[file.replace('.jsonl', '')];
  const begun = process.cpuUsage();
  const { profile, metrics } = fitTrace(requests, { train: 0.25, scheduler: 'vllm-v1', settings, kv: null });
  const tookMs = process.cpuUsage(begun).user / 1000;
  const errors = Object.entries(metrics).map(([name, { error }]) => ({ name, error }));
  const worst = errors.reduce((first, next) => (Math.abs(next.error) > Math.abs(first.error) ? next : first));
  const { cost, kv, scheduler } = profile;
  console.log(`${file}  (${tookMs.toFixed(0)} ms of CPU)`);
  console.log(
    `  a ${cost.aMs.toFixed(1)}, c ${cost.cMsPerDecode.toFixed(3)}, k ${cost.kMsPer1000KvTokens.toFixed(3)}, p1 ${cost.p1MsPerPrefillToken.toFixed(3)}, r ${(cost.rMsPerPrompt ?? 0).toFixed(1)}; ` +
      `batch ${scheduler.settings.max_num_seqs}, tokens ${scheduler.settings.max_num_batched_tokens}, KV ${kv === null ? 'without end' : `${kv.blocks} blocks`}`,
  );
  for (const kind of ['ttftMs', 'tpotMs', 'latencyMs']) {
    const own = errors.filter(({ name }) => name.startsWith(kind)).map(({ error }) => percent(error));
    console.log(`  ${kind.padEnd(10)} mean, p50, p90, p99: ${own.join(', ')}`);
  }
  console.log(`  worst ${percent(worst.error)} (${worst.name})`);
}
