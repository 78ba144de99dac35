// Held-out error of fits of published sweeps, fitted on three points chosen by rule and scored on the others.
//   node bench/sim/sweeps.mjs [--triples] [FILE…]      (default: the published logs among the test fixtures)
// --triples: instead of four rules, all triples of points that hold the lowest one and one at or beyond the knee.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { percent, sources } from './sources.mjs';

const { fitSweep, heldOutOf, interpolationOf, lineImporter, usablePoints } = await sources();
const folder = fileURLToPath(new URL('../../test/fixtures/import/published/', import.meta.url));
const given = process.argv.slice(2).filter((word) => word !== '--triples');
const triples = process.argv.includes('--triples');
const files = given.length > 0 ? given : readdirSync(folder).map((name) => join(folder, name));
const metrics = ['outputTokensPerSec', 'latencyMs.mean', 'latencyMs.p90'];
const shown = (ratio) => (ratio === null ? '–' : percent(ratio));

/** The sweeps of all files, as far as they can be fitted and scored. */
const sweeps = files.flatMap((file) => {
  const importer = lineImporter(basename(file));
  for (const line of readFileSync(file, 'utf8').split('\n')) importer.line(line);
  return importer
    .end()
    .sweeps.map(({ title, points }) => ({ title, usable: usablePoints(points) }))
    .filter(({ usable }) => usable.points.length >= 4);
});

if (triples) {
  for (const { title, usable } of sweeps) {
    const { points } = usable;
    const most = Math.max(...points.map((point) => point.outputTokensPerSec));
    const knee = points.findIndex((point) => point.outputTokensPerSec >= 0.9 * most);
    const scores = [];
    for (let i = 1; i < points.length; i++) {
      for (let j = Math.max(i + 1, knee); j < points.length; j++) {
        const words = [0, i, j].map((index) => String(points[index].concurrency));
        const held = heldOutOf(fitSweep(points, { points: words, maxBatchSize: null, kv: null }));
        const means = metrics.map((metric) => held[metric].mape);
        const worst = Math.max(...metrics.map((metric) => held[metric].worst ?? 0));
        scores.push({
          means,
          worst,
          good: means.every((mean, k) => (mean ?? 0) <= [0.04, 0.04, 0.05][k]) && worst <= 0.13,
        });
      }
    }
    const all = scores.flatMap(({ means }) => means.filter((mean) => mean !== null));
    console.log(
      `${title}: ${scores.filter(({ good }) => good).length}/${scores.length} triples within 4 / 4 / 5 / 13 %, ` +
        `mean error ${percent(all.reduce((sum, mean) => sum + mean, 0) / all.length)}, worst point ${percent(Math.max(...scores.map(({ worst }) => worst)))}`,
    );
  }
  process.exit(0);
}

const rules = [
  ['auto'],
  ['lowest', 'middle', 'highest'],
  ['lowest', 'half-knee', 'knee'],
  ['lowest', 'below-knee', 'highest'],
];
for (const rule of rules) {
  console.log(`\npoints: ${rule.join(', ')}   (throughput / mean latency / p90)`);
  for (const { title, usable } of sweeps) {
    const begun = performance.now();
    const fit = fitSweep(usable.points, { points: rule, maxBatchSize: null, kv: null });
    const tookMs = performance.now() - begun;
    const [held, other] = [heldOutOf(fit), interpolationOf(fit)];
    let inside = 0;
    let all = 0;
    for (const { measured, intervals } of held.points) {
      for (const metric of metrics) {
        if (measured[metric] === null) continue;
        all++;
        if (measured[metric] >= intervals[metric][0] && measured[metric] <= intervals[metric][1]) inside++;
      }
    }
    const worst = Math.max(...metrics.map((metric) => held[metric].worst ?? 0));
    console.log(
      `${title.padEnd(30)} used ${fit.used.map((point) => point.concurrency).join(',')} (limit: ${fit.limit})  ` +
        `${metrics.map((metric) => shown(held[metric].mape)).join(' / ')}, worst ${percent(worst)}; ` +
        `interpolation ${metrics.map((metric) => shown(other[metric].mape)).join(' / ')}; ` +
        `inside 90 % intervals ${inside}/${all}; ${tookMs.toFixed(0)} ms; ` +
        `left out ${usable.excluded.map((point) => point.concurrency).join(', ') || 'none'}`,
    );
  }
}
