// Capacity at an SLO, predicted from a fitted profile, against the truth, on engines with features that the fitted model lacks: a kink in
// the step time, quadratic prefill, a tight KV cache, jitter. Each engine is measured like a server would be: one run whose rate
// climbs from idle to beyond saturation, seen from the client only: when each token of each stream came, or, with
// --no-token-times, only the first and the last (what a request trace holds).
//   node bench/sim/capacity.mjs [--seed 1] [--engines 20] [--draws 24] [--no-token-times]
import { numberFlag, percent, sources } from './sources.mjs';

const { fitTrace, randomStream, replay } = await sources();
const seed = numberFlag('seed', 1);
const engines = numberFlag('engines', 20);
const draws = numberFlag('draws', 24);
const tokenTimes = !process.argv.includes('--no-token-times');
const draw = randomStream(seed, 'capacity engines');
const between = (low, high) => low * (high / low) ** draw.next();
const settings = { max_num_seqs: 128, max_num_batched_tokens: 2048 };

function engine() {
  const aMs = between(8, 40);
  const cMsPerDecode = between(0.03, 0.3);
  const kink = Math.round(between(16, 48));
  // The step jumps by up to a fifth of a beyond the kink.
  const jump = draw.next() < 0.5 ? 0 : between(0.05, 0.2) * aMs;
  const decodeCurve = [
    { decodes: kink, ms: cMsPerDecode * kink },
    { decodes: kink + 8, ms: cMsPerDecode * (kink + 8) + jump },
  ];
  return {
    schema: 'llmdyno.engine-profile/1',
    name: 'truth',
    cost: {
      aMs,
      cMsPerDecode,
      p1MsPerPrefillToken: between(0.03, 0.2),
      kMsPer1000KvTokens: between(0.02, 0.2),
      mMsPerMillionAttention: draw.next() < 0.5 ? 0 : between(0.05, 0.5),
      decodeCurve,
    },
    jitter: { stepSigma: between(0.01, 0.06) },
    maxBatchSize: 128,
    maxPrefillTokens: null,
    kv: { blocks: Math.round(between(1500, 20_000)), blockSize: 16 },
    scheduler: { name: 'vllm-v1', settings },
    overheadMs: between(1, 8),
    notes: [],
  };
}

/** Requests whose rate is given by their share of the run, 0 … 1. */
function requests(count, rateAt, name) {
  const random = randomStream(seed, name);
  let arrivalMs = 0;
  return Array.from({ length: count }, (_, i) => {
    arrivalMs += (1000 * random.exponential()) / rateAt(i / count);
    const promptTokens = Math.max(4, Math.min(4000, Math.round(Math.exp(5.6 + 0.8 * random.normal()))));
    const outputTokens = Math.max(2, Math.min(1500, Math.round(Math.exp(5 + 0.6 * random.normal()))));
    return { arrivalMs, promptTokens, outputTokens, ttftMs: 0, tpotMs: 0, latencyMs: 0 };
  });
}

const quantileOf = (values, q) => {
  const sorted = [...values].filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  return sorted[Math.floor(q * (sorted.length - 1))];
};

const dice = requests(1500, () => 1, 'capacity run');

/** The highest rate at which p90 of TTFT and of TPOT meet the SLO, by bisection on the same dice. */
function capacity(profile, slo, near = null) {
  const meets = (rate) => {
    const played = dice.map((request) => ({ ...request, arrivalMs: request.arrivalMs / rate }));
    const out = replay(profile, played, 5);
    return quantileOf(out.ttftMs, 0.9) <= slo.ttftMs && quantileOf(out.tpotMs, 0.9) <= slo.tpotMs;
  };
  let [low, high] = near === null ? [0.01, 200] : [near / 1.05, near * 1.05];
  while (near !== null && !meets(low)) [low, high] = [low / 1.1, low];
  while (near !== null && meets(high)) [low, high] = [high, high * 1.1];
  while (high / low > 1.001) {
    const middle = Math.sqrt(low * high);
    if (meets(middle)) low = middle;
    else high = middle;
  }
  return low;
}

const errors = [];
let covered = 0;
for (let number = 0; number < engines; number++) {
  const truth = engine();
  const { aMs, cMsPerDecode, p1MsPerPrefillToken } = truth.cost;
  const slo = {
    ttftMs: 20 * aMs + 3000 * p1MsPerPrefillToken,
    tpotMs: 1.3 * (aMs + 40 * cMsPerDecode) + 300 * p1MsPerPrefillToken,
  };
  const perSec = 1000 / ((180 / 40) * (aMs + 40 * cMsPerDecode) + 370 * p1MsPerPrefillToken);
  const measured = requests(800, (part) => perSec * (0.15 + 1.35 * part), `measured ${number}`);
  const seen = replay(truth, measured, seed + number, true);
  measured.forEach((request, i) => {
    request.ttftMs = seen.ttftMs[i];
    request.tpotMs = seen.tpotMs[i];
    request.latencyMs = seen.latencyMs[i];
    const atMs = seen.tokenAtMs[i];
    if (tokenTimes) request.tokens = { atMs, counts: atMs.map(() => 1) };
  });
  const fit = fitTrace(measured, { train: 0.98, scheduler: 'vllm-v1', settings, kv: truth.kv });
  const [real, guess] = [capacity(truth, slo), capacity(fit.profile, slo)];
  const drawn = fit.sample(draws, seed).map((profile) => capacity(profile, slo, guess));
  const [low, high] = [quantileOf(drawn, 0.05), quantileOf(drawn, 0.95)];
  const inside = real >= low && real <= high;
  if (inside) covered++;
  errors.push(Math.abs(guess / real - 1));
  console.log(
    `engine ${String(number).padStart(2)}  truth ${real.toFixed(2)}/s, predicted ${guess.toFixed(2)}/s, error ${percent(guess / real - 1)}, ` +
      `interval ${low.toFixed(2)} … ${high.toFixed(2)}${inside ? '' : '  (outside)'}`,
  );
}
const within = errors.filter((error) => error <= 0.05).length;
const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
console.log(
  `within 5 %: ${within}/${engines}; mean ${percent(mean)}, worst ${percent(Math.max(...errors))}; intervals cover ${covered}/${engines}`,
);
