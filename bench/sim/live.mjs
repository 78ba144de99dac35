// The live engine beside virtual time: one plan run over HTTP against `dyno engine` and again as `dyno sim`, same profile, same seed.
// Build first (npm run build). First an engine whose steps are long, so that what is compared is the engine and not the machine; then
// built-in profiles with steps of 13 to 280 ms, where half a millisecond of HTTP is a percent.
// --served: the engine has answered another run before. --engine-seed: the engine's own seed, which must not matter.
// --plan and --engine: a plan of your own, as words for dyno run and for dyno engine, instead of those below.
//   node bench/sim/live.mjs [--streams 64,500] [--seed 1] [--only slow|built-in|WORD OF A NAME] [--served] [--engine-seed 1]
// --random: so many plans that are drawn at random instead.
//   node bench/sim/live.mjs --random 20 [--seed 1]
//   node bench/sim/live.mjs --plan '--concurrency 200 -n 800 --max-tokens 20' [--engine '--scheduler mindie'] [--seed 1]
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { randomPlans } from './random-plans.mjs';
import { numberFlag } from './sources.mjs';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
function wordFlag(name) {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? null : process.argv[at + 1];
}

const streams = (wordFlag('streams') ?? '64,500').split(',').map(Number);
const seed = numberFlag('seed', 1);
const engineSeed = numberFlag('engine-seed', seed);
const served = process.argv.includes('--served');
const only = wordFlag('only');
const work = mkdtempSync(join(tmpdir(), 'llmdyno-live-'));
const profile = join(work, 'slow.json');
writeFileSync(
  profile,
  JSON.stringify({
    schema: 'llmdyno.engine-profile/1',
    name: 'slow',
    title: 'slow steps',
    model: 'slow',
    source: 'bench/sim/live.mjs',
    date: '2026',
    cost: { aMs: 150, cMsPerDecode: 0.3, p1MsPerPrefillToken: 0.02, kMsPer1000KvTokens: 0.2 },
    jitter: { stepSigma: 0.02 },
    maxBatchSize: 512,
    maxPrefillTokens: null,
    kv: { blocks: 20_000, blockSize: 16 },
    scheduler: { name: 'vllm-v1', settings: { max_num_seqs: 512, max_num_batched_tokens: 8192 } },
    overheadMs: 25,
    notes: [],
  }),
);

function dyno(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    child.stdout.on('data', (text) => (out += text));
    child.on('close', (code) => (code === 0 ? resolve(out) : reject(new Error(`dyno ${args[0]} ended with ${code}`))));
  });
}

/** What the hypervisor has taken of all processors since they began; 0 where nobody knows. */
function stolenMs() {
  if (!existsSync('/proc/stat')) return 0;
  // In hundredths of a second.
  return 10 * Number(readFileSync('/proc/stat', 'utf8').split('\n', 1)[0].trim().split(/ +/)[8]);
}

async function withEngine(engineWords, use) {
  const engine = spawn(
    process.execPath,
    [main, 'engine', ...engineWords, '--port', '0', '--quiet', '--seed', String(engineSeed)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  try {
    const url = await new Promise((resolve) => engine.stdout.once('data', (text) => resolve(String(text).trim())));
    return await use(url);
  } finally {
    engine.kill();
  }
}

const figures = [
  ['ttftMs', 'p50'],
  ['ttftMs', 'p99'],
  ['tpotMs', 'p50'],
  ['tpotMs', 'p99'],
  ['latencyMs', 'p50'],
  ['latencyMs', 'p99'],
];
let worst = 0;
const slow = streams.flatMap((count) => [
  {
    name: `slow steps, closed loop, ${count} streams`,
    engine: ['--profile', profile],
    words: `--concurrency ${count} -n ${3 * count} --warmup ${count} --input-tokens 40..160 --output-tokens 40..80`,
  },
  {
    name: `slow steps, open loop, about ${count} streams`,
    engine: ['--profile', profile],
    // In flight = rate × time in the engine (Little): some 60 steps of 150 + 0.5 ms × streams.
    words:
      `--rate ${((count * 1000) / (60 * (150 + 0.45 * count))).toFixed(2)} -n ${3 * count} --arrival poisson ` +
      `--input-tokens 40..160 --output-tokens 40..80`,
  },
]);
const short = '--input-tokens 40..160 --output-tokens 40..80';
const longer = '--input-tokens 100..400 --output-tokens 50..150';
const builtIn = [
  ['7B on MindIE, 1 stream', '', `--concurrency 1 -n 40 ${short}`],
  ['7B on MindIE, 8 streams', '', `--concurrency 8 -n 100 ${longer}`],
  ['7B on MindIE, 64 streams', '', `--concurrency 64 -n 384 ${short}`],
  ['7B on MindIE, 64 streams, warm-up', '', `--concurrency 64 -n 384 --warmup 64 ${short}`],
  ['7B on MindIE, 500 streams', '', `--concurrency 500 -n 1500 ${short}`],
  ['7B on MindIE, 20 requests/s', '', `--rate 20 -n 300 --arrival poisson ${short}`],
  ['7B on MindIE, 2 requests/s', '', `--rate 2 -n 60 --arrival poisson ${short}`],
  ['7B on MindIE, questions, 16 streams', '', '--concurrency 16 -n 200 --max-tokens 100'],
  // All answers as long: all ask again at once, which takes a client and an engine longer to send and to read than a step lasts.
  ['7B on MindIE, 64 streams in step', '', '--concurrency 64 -n 400 --max-tokens 60'],
  ['7B on MindIE, 200 streams in step', '', '--concurrency 200 -n 800 --max-tokens 60'],
  ['7B, mindie, maxBatchSize 32', '--scheduler mindie --set maxBatchSize=32', `--concurrency 64 -n 384 ${short}`],
  [
    'QwQ-32B on MindIE, 10 requests/s',
    '--profile qwq-32b-mindie-atb-4x910b3',
    `--rate 10 -n 200 --arrival poisson ${longer}`,
  ],
  ['72B on MXC500, 32 streams', '--profile qwen2.5-72b-vllm-4xmxc500', `--concurrency 32 -n 128 ${longer}`],
  [
    '72B, vllm-v1, 60 blocks, preempting',
    '--profile qwen2.5-72b-vllm-4xmxc500 --scheduler vllm-v1 --set blocks=60',
    `--concurrency 16 -n 96 ${short}`,
  ],
  [
    '8B on RTX 4090, 10 requests/s',
    '--profile llama-3-8b-vllm-rtx4090',
    `--rate 10 -n 300 --arrival poisson ${longer}`,
  ],
  [
    '8B on RTX 4090, questions, 5 requests/s',
    '--profile llama-3-8b-vllm-rtx4090',
    '--rate 5 -n 150 --arrival poisson --max-tokens 200',
  ],
].map(([name, engine, words]) => ({ name: `built-in: ${name}`, engine: engine.split(' ').filter(Boolean), words }));
const own = wordFlag('plan');
const ownEngine = wordFlag('engine') ?? '';
const common = ['--store', join(work, 'runs'), '--json', '--quiet', '--lenient'];
const virtually = async (words) => JSON.parse(await dyno(['sim', ...words, '--seed', String(seed), ...common]));
const random = numberFlag('random', 0);
const plans =
  own !== null
    ? [{ name: `${ownEngine} ${own}`.trim(), engine: ownEngine.split(' ').filter(Boolean), words: own }]
    : random > 0
      ? randomPlans(random, seed, virtually)
      : [...slow, ...builtIn].filter((plan) => only === null || plan.name.includes(only));
try {
  for await (const { name, engine, words } of plans) {
    const plan = [...words.split(' '), '--seed', String(seed)];
    const before = ['--concurrency', '8', '-n', '40', '--max-tokens', '40', '--seed', String(seed + 1)];
    const [stolenBefore, beganMs] = [stolenMs(), performance.now()];
    const live = JSON.parse(
      await withEngine(engine, async (url) => {
        if (served) await dyno(['run', url, ...before, ...common]);
        return dyno(['run', url, ...plan, ...common]);
      }),
    );
    const stolenRatio = (stolenMs() - stolenBefore) / (performance.now() - beganMs) / availableParallelism();
    const virtual = await virtually([...engine, ...words.split(' ')]);
    console.log(
      `${name}: ${live.counts.ok} live, ${virtual.counts.ok} virtual, tokens ${live.outputTokens.mean.toFixed(1)} and ${virtual.outputTokens.mean.toFixed(1)}, ` +
        `${(100 * stolenRatio).toFixed(1)} % of the processors stolen`,
    );
    for (const [metric, figure] of figures) {
      const [seen, told] = [live[metric][figure], virtual[metric][figure]];
      const error = seen / told - 1;
      const holds = figure === 'p50' ? Math.abs(error) <= 0.01 : Math.abs(error) <= 0.03 || Math.abs(seen - told) <= 5;
      if (!holds) worst++;
      console.log(
        `  ${`${metric} ${figure}`.padEnd(14)} live ${seen.toFixed(1).padStart(9)} ms, virtual ${told.toFixed(1).padStart(9)} ms, ` +
          `${(100 * error).toFixed(2).padStart(6)} %, ${(seen - told).toFixed(1).padStart(6)} ms${holds ? '' : '  (off)'}`,
      );
    }
  }
  console.log(worst === 0 ? 'p50 within 1 %, p99 within 3 % or 5 ms: all hold' : `${worst} figures are off`);
} finally {
  rmSync(work, { recursive: true });
}
