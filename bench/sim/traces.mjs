// Traces of simulated vLLM runs with hidden parameters, fitted on the first quarter, scored on the rest.
//   node bench/sim/traces.mjs [--seed 1] [--engines 12] [--requests 1200] [--load 2] [--blocks 30000] [--prompt-cost 0.5] [--bare]
// --load: requests come so many times faster than a batch of 32 could serve them (without: 0.4 to 0.9 times); --bare: the fit is told no setting;
// --prompt-cost: every prompt costs so many times a in each step that computes some of it, whatever its length.
import { numberFlag, percent, sources } from './sources.mjs';

const { fitTrace, randomStream, replay, scoreTrace } = await sources();
const seed = numberFlag('seed', 1);
const engines = numberFlag('engines', 12);
const count = numberFlag('requests', 1200);
const load = numberFlag('load', null);
const promptCost = numberFlag('prompt-cost', 0);
const bare = process.argv.includes('--bare');
const trained = Math.floor(count / 4);
const draw = randomStream(seed, 'hidden engines');
const between = (low, high) => low * (high / low) ** draw.next();
const worsts = [];
const chance = { 0.06: 0, 0.04: 0 };

for (let engine = 0; engine < engines; engine++) {
  const settings = { max_num_seqs: [64, 128, 256][draw.below(3)], max_num_batched_tokens: [2048, 8192][draw.below(2)] };
  const cost = {
    aMs: between(8, 40),
    cMsPerDecode: between(0.02, 0.15),
    p1MsPerPrefillToken: between(0.03, 0.2),
    kMsPer1000KvTokens: between(0.03, 0.15),
    mMsPerMillionAttention: between(0.01, 0.1),
  };
  cost.rMsPerPrompt = promptCost * cost.aMs;
  const kv = { blocks: numberFlag('blocks', 30_000), blockSize: 16 };
  const hidden = {
    schema: 'llmdyno.engine-profile/1',
    name: 'hidden',
    cost,
    jitter: { stepSigma: between(0.01, 0.05) },
    maxBatchSize: settings.max_num_seqs,
    maxPrefillTokens: null,
    kv,
    scheduler: { name: 'vllm-v1', settings },
    overheadMs: between(1, 10),
    notes: [],
  };
  // About 300 prompt and 200 answer tokens on average; the rate is a share of what a batch of 32 could serve.
  const capacityPerSec =
    1000 /
    ((200 / 32) * (cost.aMs + 32 * cost.cMsPerDecode + 12 * cost.kMsPer1000KvTokens) +
      450 * cost.p1MsPerPrefillToken +
      cost.rMsPerPrompt);
  const ratePerSec = capacityPerSec * (load ?? between(0.4, 0.9));
  let arrivalMs = 0;
  const requests = Array.from({ length: count }, () => {
    arrivalMs += (1000 * draw.exponential()) / ratePerSec;
    const promptTokens = Math.max(4, Math.min(6000, Math.round(Math.exp(5.6 + 0.9 * draw.normal()))));
    const outputTokens = Math.max(2, Math.min(2000, Math.round(Math.exp(5.1 + 0.6 * draw.normal()))));
    return { arrivalMs, promptTokens, outputTokens, ttftMs: 0, tpotMs: 0, latencyMs: 0 };
  });
  const truth = replay(hidden, requests, seed + engine);
  requests.forEach((request, i) => {
    request.ttftMs = truth.ttftMs[i];
    request.tpotMs = truth.tpotMs[i];
    request.latencyMs = truth.latencyMs[i];
  });
  const begun = performance.now();
  const fit = fitTrace(requests, {
    train: 0.25,
    scheduler: 'vllm-v1',
    settings: bare ? {} : settings,
    kv: bare ? null : kv,
  });
  const tookMs = performance.now() - begun;
  const errors = Object.entries(fit.metrics).map(([name, { error }]) => ({ name, error: Math.abs(error) }));
  const worst = errors.reduce((first, next) => (next.error > first.error ? next : first));
  const mean = errors.reduce((sum, { error }) => sum + error, 0) / errors.length;
  // What the hidden engine itself predicts under other throws of its dice: no fit can be expected to do better than this.
  const others = Array.from({ length: 32 }, (_, i) => replay(hidden, requests, 1000 + seed + engine + i));
  const expected = scoreTrace(requests, others, trained);
  const own = Math.max(...Object.values(expected).map(({ error }) => Math.abs(error)));
  // One throw of the true engine beside the mean of all: how often knowing it wholly is not enough.
  const apart = others.map((one) => {
    const scored = scoreTrace(requests, [one], trained);
    return Math.max(
      ...Object.keys(scored).map((name) => Math.abs(expected[name].predicted / scored[name].predicted - 1)),
    );
  });
  for (const limit of [0.06, 0.04]) chance[limit] += apart.filter((error) => error > limit).length / apart.length;
  worsts.push(worst.error);
  console.log(
    `engine ${String(engine).padStart(2)}  mean ${percent(mean)}, worst ${percent(worst.error)} (${worst.name}); ` +
      `the true parameters' own worst ${percent(own)}; ${tookMs.toFixed(0)} ms`,
  );
}
const good = (limit) => worsts.filter((error) => error <= limit).length;
console.log(
  `every one of the 12 figures within 6 %: ${good(0.06)}/${engines}; within 4 %: ${good(0.04)}/${engines}; worst ${percent(Math.max(...worsts))}`,
);
console.log(
  `the true engines themselves would miss 6 % on ${chance[0.06].toFixed(1)} and 4 % on ${chance[0.04].toFixed(1)} of ${engines}, by their dice alone`,
);
