// How fast virtual time runs, per second of CPU (garbage collection on other threads included), and that skipping of steady stretches changes nothing.
//   node bench/sim/speed.mjs
import { sources } from './sources.mjs';

const { EngineCore, randomStream } = await sources();
const profile = {
  schema: 'llmdyno.engine-profile/1',
  name: 'speed',
  title: 'speed',
  model: 'speed',
  source: 'bench',
  date: '2026',
  cost: {
    aMs: 12.3,
    cMsPerDecode: 0.05,
    p1MsPerPrefillToken: 0.048,
    kMsPer1000KvTokens: 0.061,
    mMsPerMillionAttention: 0.06,
  },
  jitter: { stepSigma: 0 },
  maxBatchSize: 256,
  maxPrefillTokens: 2048,
  kv: { blocks: 40_000, blockSize: 16 },
  scheduler: { name: 'vllm-v1', settings: {} },
  notes: [],
};

function play(requests, options = {}) {
  const core = new EngineCore({ ...options, profile: { ...profile, ...options.profile }, seed: 1 });
  // CPU time, so that other people's load on the machine does not count as ours.
  const begun = process.cpuUsage();
  let next = 0;
  let lastMs = 0;
  let check = 0;
  while (next < requests.length || core.step !== null) {
    const nextMs = requests[next]?.arrivalMs ?? Infinity;
    const finishes = core.step === null ? [] : core.advance(nextMs);
    for (const { endMs, tokenAtMs } of finishes) {
      lastMs = endMs;
      check += endMs + (tokenAtMs[0] ?? 0);
    }
    if (finishes.length > 0) continue;
    for (; next < requests.length && requests[next].arrivalMs <= nextMs; next++) {
      core.submit(requests[next]);
      if (core.step === null) core.beginStep(requests[next].arrivalMs);
    }
  }
  const { user, system } = process.cpuUsage(begun);
  const tookMs = (user + system) / 1000;
  const { generationTokensTotal } = core.counters();
  return { tookMs, timesReal: lastMs / tookMs, tokensPerSec: (1000 * generationTokensTotal) / tookMs, check };
}

function mixed(count, ratePerSec) {
  const random = randomStream(1, 'bench');
  let arrivalMs = 0;
  return Array.from({ length: count }, (_, id) => {
    arrivalMs += (1000 * random.exponential()) / ratePerSec;
    const inputTokens = Math.max(1, Math.round(Math.exp(5.5 + 0.8 * random.normal())));
    const outputTokens = Math.max(1, Math.round(Math.exp(5.3 + 0.6 * random.normal())));
    return { id, inputTokens, outputTokens, arrivalMs };
  });
}

function say(name, { tookMs, timesReal, tokensPerSec }) {
  console.log(
    `${name.padEnd(44)} ${tookMs.toFixed(0).padStart(6)} ms  ${Math.round(timesReal).toLocaleString('en').padStart(9)} × real  ` +
      `${(tokensPerSec / 1e6).toFixed(1).padStart(6)} M tokens/s`,
  );
}

const same = Array.from({ length: 256 }, (_, id) => ({ id, inputTokens: 1024, outputTokens: 1024, arrivalMs: 0 }));
say('256 × 1024/1024, cold', play(same));
say('256 × 1024/1024, warm', play(same));
for (const rate of [5, 12, 18]) say(`20,000 mixed at ${rate}/s, every token's time kept`, play(mixed(20_000, rate)));
say('20,000 mixed at 12/s, step jitter', play(mixed(20_000, 12), { profile: { jitter: { stepSigma: 0.05 } } }));
say(
  '20,000 mixed at 12/s, 3,000 blocks',
  play(mixed(20_000, 12), { profile: { kv: { blocks: 3000, blockSize: 16 } } }),
);
say('100,000 mixed at 12/s, every token', play(mixed(100_000, 12)));
say('100,000 mixed at 12/s, first and last token', play(mixed(100_000, 12), { keepTimes: false }));
const [on, off] = [true, false].map((skipSteady) => play(mixed(20_000, 5), { skipSteady }));
say('20,000 mixed at 5/s, skipping on', on);
say('20,000 mixed at 5/s, skipping off', off);
console.log(`the same to the last bit with skipping on and off: ${on.check === off.check}`);
