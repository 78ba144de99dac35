// Published sweeps as others might have measured them: some levels missing, every figure off by a little. Three points fitted by each rule, the
// others scored. What holds on the whole sweep should not hang on one of its points.
//   node bench/sim/perturbed-sweeps.mjs [--seed 1] [--copies 6] [--noise 1]
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { numberFlag, percent, sources } from './sources.mjs';

const { fitSweep, heldOutOf, lineImporter, randomStream, usablePoints } = await sources();
const seed = numberFlag('seed', 1);
const copies = numberFlag('copies', 6);
const noise = numberFlag('noise', 1) / 100;
const draw = randomStream(seed, 'perturbed sweeps');
const folder = fileURLToPath(new URL('../../test/fixtures/import/published/', import.meta.url));
const metrics = ['outputTokensPerSec', 'latencyMs.mean', 'latencyMs.p90'];
const rules = {
  auto: ['auto'],
  'lowest, middle, highest': ['lowest', 'middle', 'highest'],
  'lowest, half-knee, knee': ['lowest', 'half-knee', 'knee'],
};
const within = Object.fromEntries(Object.keys(rules).map((name) => [name, 0]));
let all = 0;

/** A copy with four levels or more, each run quicker or slower as a whole and each figure off by as much again. */
function perturbed(points) {
  const count = 4 + draw.below(points.length - 3);
  const kept = points.map((point) => ({ point, at: draw.next() })).toSorted((a, b) => a.at - b.at);
  const chosen = kept.slice(0, count).map(({ point }) => point);
  return chosen
    .toSorted((a, b) => a.concurrency - b.concurrency)
    .map((point) => {
      const pace = noise * draw.normal();
      const off = () => Math.exp(pace + noise * draw.normal());
      const [mean, tail] = [off(), off()];
      const latencyMs = { ...point.latencyMs };
      for (const key of Object.keys(latencyMs)) {
        if (latencyMs[key] !== null && key !== 'n') latencyMs[key] *= key === 'mean' ? mean : tail;
      }
      return {
        ...point,
        outputTokensPerSec: point.outputTokensPerSec / off(),
        latencyMeanMs: point.latencyMeanMs * mean,
        latencyP90Ms: point.latencyP90Ms === null ? null : point.latencyP90Ms * tail,
        latencyMs,
      };
    });
}

for (const name of readdirSync(folder)) {
  const importer = lineImporter(name);
  for (const line of readFileSync(join(folder, name), 'utf8').split('\n')) importer.line(line);
  for (const { title, points } of importer.end().sweeps) {
    const usable = usablePoints(points).points;
    if (usable.length < 4) continue;
    for (let copy = 0; copy < (usable.length === 4 ? 1 : copies); copy++) {
      const sweep = perturbed(usable);
      const told = Object.entries(rules).map(([rule, words]) => {
        const fit = fitSweep(sweep, { points: words, maxBatchSize: null, kv: null });
        const held = heldOutOf(fit);
        const means = metrics.map((metric) => held[metric].mape);
        const worst = Math.max(...metrics.map((metric) => held[metric].worst ?? 0));
        const good = (means[0] ?? 0) <= 0.04 && (means[1] ?? 0) <= 0.04 && (means[2] ?? 0) <= 0.05 && worst <= 0.13;
        if (good) within[rule]++;
        const used = fit.used.map((point) => point.concurrency).join(',');
        return `${used} ${means.map((mean) => (mean === null ? '–' : percent(mean))).join(' / ')}, ${percent(worst)}${good ? '' : ' (misses)'}`;
      });
      all++;
      console.log(`${title} ${sweep.map((point) => point.concurrency).join(',')}: ${told.join('   |   ')}`);
    }
  }
}
for (const [rule, count] of Object.entries(within)) console.log(`${rule}: ${count}/${all} within 4 / 4 / 5 / 13 %`);
