// Traces as a real server and a real client might make them, with features that no fitted engine has: a client whose overhead has a long tail, a cost
// of every streamed token, jumps in d(n), dear attention, bursts, a few very long prompts, a pace that drifts by 1 or 2 %, a stall of a third of a
// second now and then. Fitted on the first quarter, scored on the rest, without being told the server's settings (--settings tells them).
//   node bench/sim/hard-traces.mjs [--seed 1] [--engines 12] [--settings] [--only tail|token|jump|attention|burst|long|drift|stall|none]
import { numberFlag, percent, sources } from './sources.mjs';

const { EngineCore, fitTrace, randomStream, scoreTrace } = await sources();
const seed = numberFlag('seed', 1);
const engines = numberFlag('engines', 12);
const told = process.argv.includes('--settings');
const only = process.argv.includes('--only') ? process.argv[process.argv.indexOf('--only') + 1] : null;
const has = (feature) => only === null || only === feature;
const draw = randomStream(seed, 'hard traces');
const between = (low, high) => low * (high / low) ** draw.next();
const worsts = [];
const owns = [];
const sums = {};

/** One run of the true engine; `dice` decides what is chance in it. */
function play(engine, requests, dice) {
  const random = randomStream(dice, 'hard engine');
  const client = randomStream(dice, 'hard client');
  const { cost, jitter, stallEveryMs, stallMs, drift, lengthMs } = engine;
  let clockMs = 0;
  let nextStallMs = stallEveryMs * random.exponential();
  const stepMs = ({ decodes, prefillTokens, kvTokens, prefillAttention }) => {
    const plain =
      cost.aMs +
      cost.cMs * decodes +
      (decodes > cost.jumpAt ? cost.jumpMs : 0) +
      (cost.kMs * kvTokens) / 1000 +
      cost.p1Ms * prefillTokens +
      (cost.mMs * prefillAttention) / 1e6;
    const pace = 1 + drift * Math.min(1, clockMs / lengthMs);
    let ms = plain * pace * Math.exp(jitter * random.normal() - jitter ** 2 / 2);
    clockMs += ms;
    if (clockMs > nextStallMs) {
      ms += stallMs;
      nextStallMs = clockMs + stallEveryMs * random.exponential();
    }
    return ms;
  };
  const core = new EngineCore({ profile: engine.profile, seed: dice, cost: { stepMs }, keepTimes: false });
  const count = requests.length;
  const out = {
    ttftMs: new Float64Array(count),
    tpotMs: new Float64Array(count).fill(NaN),
    latencyMs: new Float64Array(count),
  };
  // What the client needs before a request reaches the engine, and after the first token has left it.
  const sent = requests.map((request, id) => ({ id, atMs: request.arrivalMs + engine.overheadOf(client) }));
  const back = requests.map(() => engine.overheadOf(client));
  const order = sent.toSorted((a, b) => a.atMs - b.atMs);
  let next = 0;
  while (next < count || core.step !== null) {
    const nextMs = order[next]?.atMs ?? Infinity;
    const finishes = core.step === null ? [] : core.advance(nextMs);
    for (const { id, firstTokenMs, endMs } of finishes) {
      const { arrivalMs, outputTokens } = requests[id];
      const perToken = engine.tokenMs * (outputTokens - 1);
      out.ttftMs[id] = firstTokenMs + back[id] - arrivalMs;
      out.latencyMs[id] = endMs + back[id] + perToken - arrivalMs;
      if (outputTokens > 1) out.tpotMs[id] = (out.latencyMs[id] - out.ttftMs[id]) / (outputTokens - 1);
    }
    if (finishes.length > 0) continue;
    for (; next < count && order[next].atMs <= nextMs; next++) {
      const { id, atMs } = order[next];
      core.submit({
        id,
        inputTokens: requests[id].promptTokens,
        outputTokens: requests[id].outputTokens,
        arrivalMs: atMs,
      });
      if (core.step === null) core.beginStep(atMs);
    }
  }
  return out;
}

for (let number = 0; number < engines; number++) {
  const settings = { max_num_seqs: [64, 128, 256][draw.below(3)], max_num_batched_tokens: [2048, 8192][draw.below(2)] };
  const kv = { blocks: 30_000, blockSize: 16 };
  const aMs = between(8, 40);
  const cost = {
    aMs,
    cMs: between(0.02, 0.15),
    p1Ms: between(0.03, 0.2),
    kMs: between(0.03, 0.15),
    mMs: between(0.01, 0.1) * (has('attention') ? between(1, 8) : 1),
    jumpAt: Math.round(between(6, 40)),
    jumpMs: has('jump') ? between(0.02, 0.15) * aMs : 0,
  };
  const middleMs = between(1, 5);
  const tail = has('tail') ? between(0.4, 1.1) : 0.02;
  const rare = has('tail') ? between(0.002, 0.02) : 0;
  const rareMs = between(40, 200);
  const capacityPerSec = 1000 / ((200 / 32) * (aMs + 32 * cost.cMs + 12 * cost.kMs) + 450 * cost.p1Ms);
  const ratePerSec = capacityPerSec * between(0.4, 0.9);
  const burst = has('burst') ? between(1, 6) : 1;
  const engine = {
    cost,
    jitter: between(0.01, 0.05),
    drift: has('drift') ? 0.02 * (2 * draw.next() - 1) : 0,
    lengthMs: (1000 * 1200) / ratePerSec,
    stallEveryMs: has('stall') ? 1000 * between(15, 120) : Infinity,
    stallMs: between(100, 400),
    tokenMs: has('token') ? between(0.02, 0.3) : 0,
    overheadOf: (client) =>
      middleMs * Math.exp(tail * client.normal()) + (client.next() < rare ? rareMs * client.exponential() : 0),
    profile: {
      schema: 'llmdyno.engine-profile/1',
      name: 'hard',
      cost: { aMs, cMsPerDecode: 0, p1MsPerPrefillToken: 0, kMsPer1000KvTokens: 0 },
      jitter: { stepSigma: 0 },
      maxBatchSize: settings.max_num_seqs,
      maxPrefillTokens: null,
      kv,
      scheduler: { name: 'vllm-v1', settings },
      notes: [],
    },
  };
  let arrivalMs = 0;
  let left = 0;
  const requests = Array.from({ length: 1200 }, () => {
    // Bursts of geometric size: the same rate on average.
    if (left <= 0) {
      left = Math.ceil(burst * draw.exponential());
      arrivalMs += (1000 * left * draw.exponential()) / ratePerSec;
    }
    left--;
    const long = has('long') && draw.next() < 0.04;
    const promptTokens = long
      ? Math.round(between(4000, 12_000))
      : Math.max(4, Math.min(6000, Math.round(Math.exp(5.6 + 0.9 * draw.normal()))));
    const outputTokens = Math.max(2, Math.min(2000, Math.round(Math.exp(5.1 + 0.6 * draw.normal()))));
    return { arrivalMs, promptTokens, outputTokens, ttftMs: 0, tpotMs: 0, latencyMs: 0 };
  });
  const truth = play(engine, requests, seed * 1000 + number);
  requests.forEach((request, i) => {
    request.ttftMs = truth.ttftMs[i];
    request.tpotMs = truth.tpotMs[i];
    request.latencyMs = truth.latencyMs[i];
  });
  const others = Array.from({ length: 16 }, (_, i) => play(engine, requests, 77_000 + seed * 1000 + number * 20 + i));
  const own = Math.max(...Object.values(scoreTrace(requests, others, 300)).map(({ error }) => Math.abs(error)));
  const begun = process.cpuUsage();
  const fit = fitTrace(requests, {
    train: 0.25,
    scheduler: 'vllm-v1',
    settings: told ? settings : {},
    kv: told ? kv : null,
  });
  const tookMs = process.cpuUsage(begun).user / 1000;
  const errors = Object.entries(fit.metrics).map(([name, { error }]) => ({ name, error }));
  for (const { name, error } of errors) (sums[name] ??= []).push(error);
  const worst = errors.reduce((first, next) => (Math.abs(next.error) > Math.abs(first.error) ? next : first));
  worsts.push(Math.abs(worst.error));
  owns.push(own);
  console.log(
    `engine ${String(number).padStart(2)}  worst ${percent(worst.error)} (${worst.name}); the true engine's own worst ${percent(own)}; ${tookMs.toFixed(0)} ms of CPU`,
  );
}
for (const [name, errors] of Object.entries(sums)) {
  const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
  const size = Math.sqrt(errors.reduce((sum, error) => sum + error * error, 0) / errors.length);
  console.log(`  ${name.padEnd(15)} mean ${percent(mean).padStart(7)}   root mean square ${percent(size)}`);
}
const good = (limit) => worsts.filter((error) => error <= limit).length;
console.log(
  `every one of the 12 figures within 6 %: ${good(0.06)}/${engines}; within 4 %: ${good(0.04)}/${engines}; worst ${percent(Math.max(...worsts))}`,
);
console.log(
  `the true engines themselves, in the mean of 16 throws: ${owns.filter((error) => error <= 0.06).length}/${engines} within 6 %`,
);
