// Sets the estimates of `dyno plan` beside published figures and writes docs/validation/plan.md.
// Run: node bench/plan-roofline.mjs [--check]   (--check only compares the page with what would be written)
import { readFile, writeFile } from 'node:fs/promises';
import { bundled } from '../scripts/bundled.mjs';

const root = new URL('..', import.meta.url);
const { planDocument, knownModels, parametersOf, kvBytesOf, usualEfficiency } = await bundled(
  "export * from './src/advice/plan/index.ts'; export * from './src/inputs/hardware/index.ts';",
);
const { points } = JSON.parse(await readFile(new URL('plan-measured.json', import.meta.url), 'utf8'));

/** The estimate at the measured concurrency: the plan is told a log with just so many blocks that this is its mean batch. */
function estimate(point) {
  const blocks = Math.ceil((point.inputTokens + point.outputTokens) / 128) * point.concurrency;
  const plan = planDocument({
    modelName: point.model,
    cardName: point.card,
    cards: point.cards,
    inputTokens: point.inputTokens,
    outputTokens: point.outputTokens,
    maxOutputTokens: Math.max(512, point.outputTokens),
    maxInputTokens: Math.max(2048, point.inputTokens),
    blockSize: 128,
    serverBlocks: { blocks, foundBy: 'measured point', line: 0 },
  });
  return plan.estimates.points.find((candidate) => candidate.batch === point.concurrency);
}

const f = (value, digits = 1) => (value === null ? '–' : value.toFixed(digits));
const ratio = (estimated, measured) => (measured === null ? '–' : (estimated / measured).toFixed(2));
const rows = points.map((point) => {
  const e = estimate(point);
  const cells = [
    `${point.model}, ${point.cards} × ${point.card}`,
    point.concurrency,
    `${point.inputTokens} → ${point.outputTokens}`,
    `${f(point.tpotMs)} / ${f(e.tpotMs)}`,
    ratio(e.tpotMs, point.tpotMs),
    `${f(point.ttftMs)} / ${f(e.ttftMs)}`,
    ratio(e.ttftMs, point.ttftMs),
    `${f(point.outputTokensPerSec)} / ${f(e.outputTokensPerSec)}`,
    ratio(e.outputTokensPerSec, point.outputTokensPerSec),
  ];
  return { point, e, line: `| ${cells.join(' | ')} |`, off: offBy(e.outputTokensPerSec, point.outputTokensPerSec) };
});

function offBy(a, b) {
  return Math.max(a / b, b / a);
}

const unexplained = rows.filter(({ off, point }) => off > 2 && point.reason === null);
if (unexplained.length > 0) {
  console.error(
    'off by more than 2 without a reason:',
    unexplained.map(({ point }) => `${point.model} on ${point.card}`),
  );
  process.exitCode = 1;
}

const one = { tensor: 1, pipeline: 1, data: 1, expert: null };
const counted = knownModels.map((model) => {
  const { main } = parametersOf(model.shape);
  const kib = kvBytesOf(model.shape, one, { format: null, withMtp: false }).perToken / 1024;
  const off = ((main / model.statedParameters - 1) * 100).toFixed(2);
  return `| ${model.name} | ${main.toLocaleString('en')} | ${(model.statedParameters / 1e9).toPrecision(4)}B | ${off} % | ${model.statedIn} | ${Number(kib.toFixed(3))} |`;
});

const long = planDocument({
  modelName: 'qwen2-72b',
  cardName: '910b4-32g',
  cards: 8,
  inputTokens: 6385,
  outputTokens: 4915,
  maxInputTokens: 8192,
  maxOutputTokens: 4915,
});

const page = `# The capacity plan beside published figures

Written by \`node bench/plan-roofline.mjs\`; do not edit by hand. The measured figures and their sources are in \`bench/plan-measured.json\`.

## Roofline estimates beside measurements

One set of efficiencies for all cards and engines: round numbers, chosen once with some of these measurements in view and not
refitted to any row or card afterwards, so agreement within a few percent is luck and a factor of 2 is what to expect:
${usualEfficiency.memoryRatio * 100} % of memory bandwidth, ${usualEfficiency.computeRatio * 100} % of compute, ${usualEfficiency.linkRatio * 100} % of the link,
${usualEfficiency.collectiveMs} ms per collective, ${usualEfficiency.layerMs} ms per layer, ${usualEfficiency.hostMs} ms per step.
Each cell is measured / estimated, the next column is estimated ÷ measured.

| model and cards | in flight | tokens in → out | TPOT ms | ratio | TTFT ms | ratio | output tokens/s | ratio |
|---|---|---|---|---|---|---|---|---|
${rows.map(({ line }) => line).join('\n')}

Sources, row by row:

${rows.map(({ point }, at) => `${at + 1}. ${point.source}`).join('\n')}

Rows whose throughput is off by more than a factor of 2, with the reason:

${rows
  .filter(({ off }) => off > 2)
  .map(
    ({ point, off }) =>
      `- ${point.model} on ${point.cards} × ${point.card}: factor ${off.toFixed(1)}; ${point.reason ?? 'no reason known'}.`,
  )
  .join('\n')}

What this is good for: choosing cards and a first batch size, and a prior for the simulator. What it is not good for: promises.
TTFT is without any queue, so under load the measured one is always longer. The batch sizes attached to the measurements in the MindIE
tuning guide are not used here: later editions put other batch sizes to the same measurements (see the capacity guide).

## Parameters counted from config values beside what authors state

| model | counted | stated | difference | stated in | KV KiB per token |
|---|---|---|---|---|---|
${counted.join('\n')}

qwen3-1.7b is stated with two digits only. DeepSeek-V3's MTP module (11.5B stated, ${(parametersOf(knownModels.find((m) => m.name === 'deepseek-v3').shape).mtp / 1e9).toFixed(2)}B counted) is beside the 671B.

## Batch range beside a published sweep

Qwen2-72B on 8 × 910B4, 6385 → 4915 tokens (the same article as row 2): the plan says that ${long.maxBatchSize.mean} requests of mean length fit
(range [${long.maxBatchSize.min}, ${long.maxBatchSize.max}], ${long.totalBlocks} blocks; the guide's arithmetic says ${long.guide.maxBatchSize.mean}). In the published sweep of 8, 12, 20, 30, 40 and 50 in flight
throughput rose to 307.4 tokens/s at 20 and fell from there (299.1, 268.4, 199.6). The server's settings were not published.

## Memory beside a snapshot

QwQ-32B in bfloat16 on four 910B3 of 64 GiB under MindIE with its default fraction of 0.8: the engine fills 0.8 × 65,536 = 52,429 MB of each card,
whatever the weights are. npu-smi showed 53,491 to 53,492 MB used on each of the four (and 3,347 to 3,357 MB on idle ones): 2 % more.
The guide's formula, (total − idle − weights) × 0.8 for the cache alone, would have ended at ${Math.round(3350 + 15.26 * 1024 + Math.floor((64 - 3.27 - 15.26) * 0.8) * 1024).toLocaleString('en')} MB before activations.
`;

const file = new URL('docs/validation/plan.md', root);
if (process.argv.includes('--check')) {
  if ((await readFile(file, 'utf8').catch(() => '')) !== page) {
    console.error('docs/validation/plan.md is not current: run node bench/plan-roofline.mjs');
    process.exitCode = 1;
  }
} else await writeFile(file, page);
