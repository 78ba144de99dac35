// How near measured points came to the limits of their cards; writes docs/validation/limits.md.
// Run: node bench/roof.mjs [RUN-FOLDER…]   (run folders of a card and model that data/ knows; told with MODEL=name CARD=name, CARDS=1)
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { bundled } from '../scripts/bundled.mjs';

const { roofOf, samplePoint, sampleDistribution, findCard } = await bundled(`
  export { roofOf } from './src/results/measure/index.ts';
  export { samplePoint, sampleDistribution } from './test/sample-point.ts';
  export { findCard } from './src/inputs/hardware/index.ts';
`);
const root = new URL('..', import.meta.url);
const { points } = JSON.parse(await readFile(new URL('plan-measured.json', import.meta.url), 'utf8'));

/** A row of a published table as a point: it prints a mean gap, and first tokens at most. */
function published(row) {
  const latency =
    (row.ttftMs ?? 0) + (row.tpotMs ?? (row.concurrency * 1000) / row.outputTokensPerSec) * row.outputTokens;
  return samplePoint({
    model: row.model,
    asked: { card: row.card, cards: row.cards },
    concurrencyAchieved: row.concurrency,
    inputTokensPerSec: (row.outputTokensPerSec / row.outputTokens) * row.inputTokens,
    inputTokens: sampleDistribution({ mean: row.inputTokens }),
    outputTokens: sampleDistribution({ mean: row.outputTokens }),
    latencyMs: sampleDistribution({ mean: latency }),
    ttftMs: sampleDistribution({ mean: row.ttftMs ?? 0 }),
    tpotMs: sampleDistribution({ p50: row.tpotMs ?? (row.concurrency * 1000) / row.outputTokensPerSec }),
    itlMs: null,
    steady: null,
    server: null,
  });
}

async function ours(folder) {
  const summary = JSON.parse(await readFile(join(folder, 'summary.json'), 'utf8'));
  return {
    ...summary,
    model: process.env.MODEL ?? summary.model,
    asked: { ...summary.asked, card: process.env.CARD, cards: Number(process.env.CARDS ?? 1) },
  };
}

const percent = (ratio) => (ratio === null || ratio === undefined ? '–' : `${(ratio * 100).toFixed(0)} %`);
function line(name, point) {
  const roof = roofOf(point);
  const lengths = `${Math.round(point.inputTokens.mean)} → ${Math.round(point.outputTokens.mean)}`;
  if (roof === null) return `| ${name} | ${lengths} | – | – | – | – |`;
  const { step, promptComputeRatio } = roof;
  const ms = step === null ? '–' : `${step.leastMs.toFixed(2)} of ${step.measuredMs.toFixed(2)}`;
  return `| ${name} | ${lengths} | ${step === null ? '–' : Math.round(step.sequences)} | ${ms} | ${percent(step?.memoryRatio)} | ${percent(promptComputeRatio)} |`;
}

const rows = [
  ...points.map((row) => line(`${row.model}, ${row.cards} × ${row.card}`, published(row))),
  ...(await Promise.all(process.argv.slice(2).map(async (folder) => line(basename(folder), await ours(folder))))),
];
console.log(rows.join('\n'));
if (process.argv.length > 2) {
  const card = findCard(process.env.CARD);
  await writeFile(
    new URL('docs/validation/limits.md', root),
    `# How far from the limit

Written by \`MODEL=… CARD=… node bench/roof.mjs RUN…\`; do not edit by hand.

Claim: of every point whose card and model are known, llmdyno says which share of the card's memory bandwidth a decode step reaches and
which share of its compute the prompts need. Each share lies between 0 and 1; [the formulas](../method/limits.md) have no constant that was fitted.

| point | tokens in → out | sequences in a step | step: least of measured, ms | memory | prompts' compute |
|---|---|---:|---:|---:|---:|
${rows.join('\n')}

The first ${points.length} rows are published tables (sources in \`bench/plan-measured.json\`); where only throughput is printed, the step is what it implies.
The others are runs of vLLM 0.25 with Qwen2.5-7B's shape on one ${card.label}: ${(card.memoryBytesPerSec / 1e12).toFixed(1)} TB/s and ${(card.fp16FlopsPerSec / 1e12).toFixed(0)} dense TFLOP/s by its sheet.

Limits: a published mean gap holds the prompts of others, so that its memory share is too low; sheets are peaks that no program reaches
(on an H200 93 % of the bandwidth and 81 % of the products were measured); where answers come in chunks of several tokens, the typical gap is not a step.
`,
  );
}
