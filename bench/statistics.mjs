// Our statistics on series that bench/statistics.py reads too, beside coverage and false positives.
//   node bench/statistics.mjs OUT_DIR [--null 200] && python3 bench/statistics.py OUT_DIR      (needs numpy and scipy)
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundled } from '../scripts/bundled.mjs';

const out = process.argv[2] ?? 'statistics-out';
const nullTries = process.argv.includes('--null') ? Number(process.argv[process.argv.indexOf('--null') + 1]) : 200;
mkdirSync(out, { recursive: true });
const s = await bundled(`
  export * from './src/results/measure/index.ts';
  export { rowValues } from './src/results/measure/request-table.ts';
  export { distributionOf, randomStream } from './src/core/index.ts';
  export { builtinProfile, makeSimRunner } from './src/engine/sim/index.ts';`);

const autoregressive = (seed, phi, n) => {
  const stream = s.randomStream(seed, 'autoregressive');
  let x = stream.normal() / Math.sqrt(1 - phi * phi);
  return Array.from({ length: n }, () => (x = phi * x + stream.normal()));
};

// 1. The same numbers for the other implementation.
const samples = {
  lognormal: Array.from({ length: 1001 }, (_, i) => Math.exp(5 + s.randomStream(i, 'lognormal').normal())),
  ties: Array.from({ length: 200 }, (_, i) => (i * 37) % 10),
  tiny: [3, 1, 2],
  autoregressive: autoregressive(1, 0.8, 2000),
};
const ours = Object.fromEntries(
  Object.entries(samples).map(([name, values]) => {
    const ascending = Float64Array.from(values).sort();
    return [
      name,
      {
        distribution: s.distributionOf(values),
        orderStatistics: [0.5, 0.9, 0.99].map((q) => s.quantileInterval(ascending, q)),
      },
    ];
  }),
);
const student = [1, 2, 5, 7, 19, 29.5, 200].flatMap((freedom) =>
  [0.9, 0.975, 0.995].map((p) => [p, freedom, s.studentQuantile(p, freedom)]),
);

// 2. Significance between two equal runs, and between a run and one 10 % slower, in virtual time.
const usual = s.builtinProfile('qwen1.5-7b-mindie-8x910b4');
const slower = {
  ...usual,
  cost: Object.fromEntries(Object.entries(usual.cost).map(([k, v]) => [k, typeof v === 'number' ? v / 0.9 : v])),
};
async function trace(profile, seed, concurrency, requests) {
  const load = { kind: 'closed', concurrency, ratePerSec: null, arrival: { process: 'closed' }, dropLate: false };
  const kept = s.makeTrace(load);
  let number = 0;
  const runner = s.makeSimRunner({
    profile,
    workload: () => ({
      // How long an answer is follows from its prompt.
      next: () => ({
        id: `${seed}-${number++}`,
        messages: [{ role: 'user', content: `why ${seed}-${number}?` }],
        text: null,
        inputTokens: 40,
        maxTokens: null,
        labels: {},
      }),
    }),
  });
  const never = new AbortController().signal;
  const plan = {
    label: null,
    target: {
      url: 'http://virtual.invalid/',
      api: 'openai-chat',
      model: 'm',
      headers: {},
      keyEnv: null,
      insecure: false,
    },
    dataset: { spec: 't', kind: 't', name: 't', hash: null, items: null, bytes: null, offset: 0, cycled: false },
    generation: {
      stream: true,
      maxTokens: 512,
      minTokens: null,
      temperature: null,
      ignoreEos: false,
      stop: [],
      body: {},
    },
    load,
    requests,
    durationMs: null,
    warmup: null,
    timeouts: { connectMs: null, ttftMs: null, readMs: null, totalMs: null },
    seed,
    slo: [],
    keepText: false,
  };
  for await (const { exchange } of runner.run(plan, { drain: never, cancel: never }, [])) kept.add(exchange);
  return s.slicesOf(kept);
}
// Five pairs for the other implementation, with the values by stretch, so that it can judge the change by itself.
const pairs = [];
for (let t = 0; t < 5; t++) {
  const runs = [await trace(usual, 9001 + 2 * t, 16, 500), await trace(t < 3 ? usual : slower, 9002 + 2 * t, 16, 500)];
  for (const word of ['outputTokensPerSec', 'latency.mean', 'latency.p50', 'tpot.p90']) {
    const { metric, statistic } = s.splitMetric(word);
    const change = s.changeBetween(...runs.map((slices) => s.sliceStatistic(slices, metric, statistic)), {
      name: word,
      resamples: 9999,
    });
    const data = runs.map((slices) => {
      if (metric === 'outputTokensPerSec')
        return {
          count: slices.count,
          tokens: [...slices.tokens],
          seconds: [...slices.durationMs].map((ms) => ms / 1000),
        };
      const times = metric === 'tpot' ? s.rowValues.tpotMs : s.rowValues.latencyMs;
      const { slice, values } = slices.values(times);
      return { count: slices.count, slice: [...slice], values: [...values] };
    });
    pairs.push({ word, statistic, change, data });
  }
}
writeFileSync(join(out, 'samples.json'), JSON.stringify({ samples, ours, student, pairs }));

const falseAlarms = [];
for (const [concurrency, requests] of [
  [16, 500],
  [32, 1000],
]) {
  const counts = new Map(s.comparedMetrics.map((word) => [word, { alarms: 0, found: 0, told: 0, widest: 0 }]));
  let family = 0;
  for (let t = 0; t < nullTries; t++) {
    const [a, b, c] = [
      await trace(usual, 3 * t + 1, concurrency, requests),
      await trace(usual, 3 * t + 2, concurrency, requests),
      await trace(slower, 3 * t + 3, concurrency, requests),
    ];
    const values = [];
    for (const word of s.comparedMetrics) {
      const { metric, statistic } = s.splitMetric(word);
      const [fa, fb, fc] = [a, b, c].map((slices) => s.sliceStatistic(slices, metric, statistic));
      const same = fa && fb ? s.changeBetween(fa, fb, { name: word }) : null;
      const worse = fa && fc ? s.changeBetween(fa, fc, { name: word }) : null;
      if (same === null) continue;
      const count = counts.get(word);
      count.told += 1;
      count.alarms += same.significant ? 1 : 0;
      count.found += worse?.significant ? 1 : 0;
      values.push(same.pValue);
    }
    if (values.some((p) => p <= 0.05 / values.length)) family += 1;
  }
  console.log(`\nclosed loop, concurrency ${concurrency}, ${requests} requests, ${nullTries} pairs`);
  for (const [word, { alarms, told }] of counts) if (told > 0) falseAlarms.push({ word, concurrency, alarms, told });
  falseAlarms.push({ word: 'any metric after Holm', concurrency, alarms: family, told: nullTries });
  for (const [word, { alarms, found, told }] of counts)
    if (told > 0)
      console.log(`| ${word} | ${((100 * alarms) / told).toFixed(1)} % | ${((100 * found) / told).toFixed(0)} % |`);
  console.log(`any metric called different after Holm: ${((100 * family) / nullTries).toFixed(1)} %`);
}
writeFileSync(join(out, 'false-alarms.json'), JSON.stringify(falseAlarms));
