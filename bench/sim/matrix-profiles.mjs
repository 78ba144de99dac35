// Engine profiles from published matrices of prompt length × answer length at one concurrency (SUS-Chat-34B under vLLM): fitted with the
// simulator in the loop, and what comes out for the cells that were left out.
//   node bench/sim/matrix-profiles.mjs [--write]      (--write puts the A100 profile into data/engines)
import { readFileSync, writeFileSync } from 'node:fs';
import { percent, sources } from './sources.mjs';

const { closedRun } = await sources();
const root = new URL('../../', import.meta.url);
const text = readFileSync(new URL('test/fixtures/import/published/vllm-sus-chat-34b.md', root), 'utf8');
/** As the log of the V100 run says; the A100 section does not say it again. */
const concurrency = 16;
const waves = 3;

function cellsOf(card) {
  const section = text.split(/^## /m).find((part) => part.startsWith(card)) ?? '';
  return section.split(/\*\*input (?=\d)/).flatMap((part) => {
    const inputTokens = Number(/^\d+/.exec(part)?.[0] ?? NaN);
    if (Number.isNaN(inputTokens)) return [];
    return [...part.matchAll(/^(\d+) \| ([\d.]+)$/gm)].map(([, tokens, perSec]) => ({
      inputTokens,
      outputTokens: Number(tokens),
      perSec: Number(perSec),
    }));
  });
}

const unnamed = {
  schema: 'llmdyno.engine-profile/1',
  jitter: { stepSigma: 0 },
  maxBatchSize: 256,
  maxPrefillTokens: 4096,
  kv: null,
};
const scheduler = { name: 'vllm-v0', settings: {} };
const costOf = ([a, p1, k]) => ({
  aMs: Math.exp(a),
  cMsPerDecode: Math.exp(a) / 60,
  p1MsPerPrefillToken: Math.exp(p1),
  kMsPer1000KvTokens: Math.exp(k),
});

function predicted(at, cell) {
  const count = waves * concurrency;
  const same = (value) => Array.from({ length: count }, () => value);
  const load = { concurrency, inputTokens: same(cell.inputTokens), outputTokens: same(cell.outputTokens) };
  return closedRun({ ...unnamed, scheduler, cost: costOf(at) }, load).outputTokensPerSec;
}

/** Least squares of logarithms, one parameter after the other in shrinking steps. */
function fit(cells) {
  const loss = (at) => cells.reduce((sum, cell) => sum + Math.log(predicted(at, cell) / cell.perSec) ** 2, 0);
  let at = [Math.log(40), Math.log(0.5), Math.log(0.3)];
  let best = loss(at);
  for (let step = 0.5; step > 0.002; step /= 1.5) {
    for (let moved = true; moved;) {
      moved = false;
      for (const i of at.keys()) {
        for (const sign of [1, -1]) {
          const next = at.with(i, at[i] + sign * step);
          const value = loss(next);
          if (value < best) [at, best, moved] = [next, value, true];
        }
      }
    }
  }
  return at;
}

const errorsOf = (at, cells) => cells.map((cell) => Math.abs(predicted(at, cell) / cell.perSec - 1));
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

for (const card of ['A100-PCIE-40G', 'V100-PCIE-32G']) {
  const cells = cellsOf(card);
  if (cells.length !== 25) throw new Error(`${card}: ${cells.length} cells`);
  const all = fit(cells);
  const within = errorsOf(all, cells);
  // By rule: of every prompt length the middle answer length.
  const shown = cells.filter((_, i) => i % 5 === 2);
  const hidden = cells.filter((_, i) => i % 5 !== 2);
  const heldOut = errorsOf(fit(shown), hidden);
  const cost = Object.fromEntries(
    Object.entries(costOf(all)).map(([key, value]) => [key, Number(value.toPrecision(4))]),
  );
  const said =
    `25 cells, throughput only (mean error ${percent(mean(within))}, worst ${percent(Math.max(...within))}); ` +
    `from 5 cells the other 20 come out at ${percent(mean(heldOut))} and ${percent(Math.max(...heldOut))}`;
  console.log(`${card}: ${JSON.stringify(cost)}\n  ${said}`);
  if (card !== 'A100-PCIE-40G' || !process.argv.includes('--write')) continue;
  const profile = {
    schema: 'llmdyno.engine-profile/1',
    name: 'sus-chat-34b-vllm-4xa100',
    title: 'SUS-Chat-34B, vLLM, 4 × A100-PCIE-40G',
    model: 'sus-chat-34b',
    source: 'fitted to a published matrix of 5 prompt lengths × 5 answer lengths (bench/sim/matrix-profiles.mjs)',
    date: '2023-12',
    cost,
    jitter: { stepSigma: 0.03 },
    maxBatchSize: 256,
    maxPrefillTokens: 4096,
    kv: null,
    scheduler,
    fit: { fittedTo: said, heldOutError: { outputTokensPerSec: Number(mean(heldOut).toFixed(3)) }, intervals: {} },
    notes: [
      'Fitted: aMs, p1MsPerPrefillToken, kMsPer1000KvTokens. cMsPerDecode set to aMs/60: one concurrency does not tell it from aMs.',
      `Assumed: concurrency ${concurrency}, as the V100 logs of the same author say; tensor parallel 4; maxBatchSize and maxPrefillTokens at vLLM's defaults of the time, stepSigma; no KV limit is known.`,
    ],
  };
  writeFileSync(new URL('data/engines/sus-chat-34b-vllm-4xa100.json', root), `${JSON.stringify(profile, null, 2)}\n`);
}
