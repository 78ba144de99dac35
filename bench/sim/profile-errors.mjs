// The profiles of data/engines that were fitted to published sweeps, each played at the concurrencies of its sweep: error on the rows that
// it was not fitted to. What a profile says of itself (fit.heldOutError) is printed here.
//   node bench/sim/profile-errors.mjs
import { readFileSync } from 'node:fs';
import { percent, sources } from './sources.mjs';

const { closedRun, lineImporter, loadsOf, usablePoints } = await sources();
const at = (path) => new URL(`../../${path}`, import.meta.url);
const orders = 4;
const cases = [
  ['qwen1.5-7b-mindie-8x910b4', 'evalscope-atlas-800i-a2.md', 'Qwen1.5-7B-Chat'],
  ['qwen1.5-14b-mindie-8x910b4', 'evalscope-atlas-800i-a2.md', 'Qwen1.5-14B-Chat'],
  ['qwen2-72b-mindie-8x910b4', 'evalscope-atlas-800i-a2.md', 'Qwen2-72B-Chat (long.jsonl)'],
  ['qwen2.5-72b-vllm-4xmxc500', 'evalscope-mxc500.md', 'evalscope-perf'],
];
for (const [name, file, wanted] of cases) {
  const profile = JSON.parse(readFileSync(at(`data/engines/${name}.json`), 'utf8'));
  const importer = lineImporter(file);
  for (const line of readFileSync(at(`test/fixtures/import/published/${file}`), 'utf8').split('\n'))
    importer.line(line);
  const sweep = importer.end().sweeps.find(({ title }) => title === wanted);
  const { points } = usablePoints(sweep.points);
  const fitted = new Set(profile.fit.fittedTo.match(/\d+/g).map(Number));
  const errors = { throughput: [], 'mean latency': [], p90: [] };
  for (const point of points) {
    const runs = Array.from({ length: orders }, (_, i) => {
      const [, load] = loadsOf([points[0], point], i + 1);
      return closedRun({ ...profile, jitter: { stepSigma: 0 } }, load);
    });
    const mean = (of) => runs.reduce((sum, run) => sum + of(run), 0) / orders;
    const apart = {
      throughput: mean((run) => run.outputTokensPerSec) / point.outputTokensPerSec - 1,
      'mean latency': mean((run) => run.latencyMeanMs) / point.latencyMeanMs - 1,
      p90: point.latencyP90Ms === null ? null : mean((run) => run.latencyP90Ms) / point.latencyP90Ms - 1,
    };
    const inSample = fitted.has(point.concurrency);
    for (const [key, error] of Object.entries(apart)) {
      if (error !== null && !inSample) errors[key].push(Math.abs(error));
    }
    const shown = Object.entries(apart).map(([key, error]) => `${key} ${error === null ? '–' : percent(error)}`);
    console.log(`  ${point.concurrency}${inSample ? ' (fitted)' : ''}: ${shown.join(', ')}`);
  }
  const told = Object.entries(errors).map(([key, all]) => {
    const mape = all.reduce((sum, error) => sum + error, 0) / all.length;
    return all.length === 0 ? `${key} –` : `${key} ${percent(mape)}, worst ${percent(Math.max(...all))}`;
  });
  console.log(`${name}: ${told.join('; ')}`);
}

// QwQ-32B at concurrency 10, MindIE's own tables: what was read off them is the time of a decode step; throughput, whole answers and first tokens
// are predictions. Of the answers' lengths the mean, the limit (512) and that more than a quarter reach it are printed.
const atb = 'qwq-32b-mindie-atb-4x910b3';
const mindspore = 'qwq-32b-mindie-mindspore-4x910b3';
const one = { maxPrefillBatchSize: 1 };
const qwq = [
  {
    name: atb,
    settings: {},
    inputs: 59.9,
    outputs: 449.3,
    requests: 8792,
    throughput: 368.6777,
    latency: 12_176.1,
    first: 64.8,
  },
  {
    name: atb,
    settings: {},
    inputs: 60.9,
    outputs: 441.1,
    requests: 200,
    throughput: 366.2485,
    latency: 11_758.1,
    first: 72,
  },
  {
    name: mindspore,
    settings: one,
    inputs: 59.9,
    outputs: 448.1,
    requests: 8792,
    throughput: 37.7808,
    latency: 118_536.9,
    first: 88.2,
  },
  {
    name: mindspore,
    settings: one,
    inputs: 60.9,
    outputs: 449.3,
    requests: 200,
    throughput: 35.9032,
    latency: 122_445.7,
    first: 106.9,
  },
  {
    name: mindspore,
    settings: {},
    inputs: 60.9,
    outputs: 482.1,
    requests: 200,
    throughput: 327.3233,
    latency: 14_356,
    first: 97.1,
  },
  {
    name: mindspore,
    settings: {},
    inputs: 60.9,
    outputs: 482.3,
    requests: 200,
    throughput: 321.7893,
    latency: 14_595.3,
    first: 106.6,
  },
];
for (const { name, settings, inputs, outputs, requests, throughput, latency, first } of qwq) {
  const profile = JSON.parse(readFileSync(at(`data/engines/${name}.json`), 'utf8'));
  const scheduler = { ...profile.scheduler, settings: { ...profile.scheduler.settings, ...settings } };
  const spread = 2 * (512 - outputs);
  const outputTokens = Array.from({ length: requests }, (_, i) =>
    i % 2 === 0 ? 512 : Math.round(512 - spread * 2 * (((i * 37) % 101) / 101)),
  );
  const load = { concurrency: 10, inputTokens: outputTokens.map(() => Math.round(inputs)), outputTokens };
  const run = closedRun({ ...profile, scheduler, jitter: { stepSigma: 0 } }, load);
  const apart = {
    throughput: run.outputTokensPerSec / throughput - 1,
    latency: run.latencyMeanMs / latency - 1,
    'first token': run.ttftMeanMs / first - 1,
  };
  const shown = Object.entries(apart).map(([key, error]) => `${key} ${percent(error)}`);
  console.log(`${name}, ${JSON.stringify(settings)}, ${requests} requests: ${shown.join(', ')}`);
}
