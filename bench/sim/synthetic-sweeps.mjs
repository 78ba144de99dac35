// Concurrency sweeps of synthetic engines (a jump in the step time, a KV term, batch sizes between the points, noise from run to run), three
// points fitted by each rule, the others scored: whether a rule for choosing points holds beyond the published sweeps.
//   node bench/sim/synthetic-sweeps.mjs [--seed 1] [--engines 12]
import { numberFlag, percent, sources } from './sources.mjs';

const { closedRun, distributionOf, fitSweep, heldOutOf, randomStream } = await sources();
const seed = numberFlag('seed', 1);
const engines = numberFlag('engines', 12);
const draw = randomStream(seed, 'synthetic sweeps');
const between = (low, high) => low * (high / low) ** draw.next();
const grids = [
  [8, 16, 32, 64, 100, 128, 150, 200, 256, 300, 400, 500],
  [8, 32, 64, 128, 200, 256, 512],
  [1, 2, 4, 8, 16, 32, 64, 128, 256],
  [10, 50, 100, 200, 300, 400],
];
const rules = {
  auto: ['auto'],
  'lowest, middle, highest': ['lowest', 'middle', 'highest'],
  'lowest, half-knee, knee': ['lowest', 'half-knee', 'knee'],
  'lowest, below-knee, highest': ['lowest', 'below-knee', 'highest'],
};
const metrics = ['outputTokensPerSec', 'latencyMs.mean', 'latencyMs.p90'];
const scores = Object.fromEntries(Object.keys(rules).map((name) => [name, []]));

for (let number = 0; number < engines; number++) {
  const aMs = between(10, 40);
  const cMsPerDecode = between(0.04, 0.25);
  const kink = Math.round(between(16, 100));
  const jump = draw.next() < 0.5 ? 0 : between(0.03, 0.12) * aMs;
  const profile = {
    schema: 'llmdyno.engine-profile/1',
    name: 'truth',
    cost: {
      aMs,
      cMsPerDecode,
      p1MsPerPrefillToken: between(0.005, 0.03),
      kMsPer1000KvTokens: between(0.01, 0.1),
      decodeCurve: [
        { decodes: kink, ms: cMsPerDecode * kink },
        { decodes: kink + 8, ms: cMsPerDecode * (kink + 8) + jump },
      ],
    },
    jitter: { stepSigma: 0.03, runSigma: 0.01 },
    maxBatchSize: Math.round(between(48, 256)),
    maxPrefillTokens: null,
    kv: null,
    notes: [],
  };
  const spread = between(0.2, 0.5);
  const lengths = Array.from({ length: 1000 }, () => Math.max(4, Math.round(220 * Math.exp(spread * draw.normal()))));
  const meanTokens = lengths.reduce((sum, tokens) => sum + tokens, 0) / lengths.length;
  const points = grids[draw.below(grids.length)].map((concurrency) => {
    const load = { concurrency, inputTokens: lengths.map(() => 60), outputTokens: lengths };
    const run = closedRun(profile, load, seed + 1000 * number + concurrency);
    return {
      concurrency,
      requests: 1000,
      inputTokens: 60,
      outputTokens: meanTokens,
      outputTokensPerSec: run.outputTokensPerSec,
      latencyMeanMs: run.latencyMeanMs,
      latencyP90Ms: run.latencyP90Ms,
      latencyMs: {
        ...distributionOf(lengths.map((tokens) => (tokens * run.latencyMeanMs) / meanTokens)),
        p50: run.latencyP50Ms,
        p90: run.latencyP90Ms,
        p99: run.latencyP99Ms,
      },
      ttftMeanMs: null,
      remarks: [],
    };
  });
  for (const [name, words] of Object.entries(rules)) {
    const heldOut = heldOutOf(fitSweep(points, { points: words, maxBatchSize: null, kv: null }));
    scores[name].push({
      means: metrics.map((metric) => heldOut[metric].mape),
      worst: Math.max(...metrics.map((metric) => heldOut[metric].worst)),
    });
  }
}
for (const [name, rows] of Object.entries(scores)) {
  const means = metrics.map((_, i) => percent(rows.reduce((sum, row) => sum + row.means[i], 0) / rows.length));
  const good = rows.filter(
    (row) => row.means[0] <= 0.04 && row.means[1] <= 0.04 && row.means[2] <= 0.05 && row.worst <= 0.13,
  ).length;
  console.log(
    `${name}: ${means.join(' / ')} (throughput / mean latency / p90), worst point ${percent(Math.max(...rows.map((row) => row.worst)))}; ` +
      `within 4 / 4 / 5 / 13 %: ${good}/${rows.length} sweeps`,
  );
}
