// Held-out error of fits of published sweeps, fitted on three points chosen by rule and scored on the others.
//   node bench/sim/sweeps.mjs [FILE…]      (default: the published logs among the test fixtures)
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { percent, sources } from './sources.mjs';

const { fitSweep, heldOutOf, interpolationOf, lineImporter, usablePoints } = await sources();
const folder = fileURLToPath(new URL('../../test/fixtures/import/published/', import.meta.url));
const given = process.argv.slice(2);
const files = given.length > 0 ? given : readdirSync(folder).map((name) => join(folder, name));
const metrics = ['outputTokensPerSec', 'latencyMs.mean', 'latencyMs.p90'];
const shown = (ratio) => (ratio === null ? '–' : percent(ratio));

for (const rule of [['auto'], ['lowest', 'half-knee', 'knee'], ['lowest', 'below-knee', 'highest']]) {
  console.log(`\npoints: ${rule.join(', ')}   (throughput / mean latency / p90)`);
  for (const file of files) {
    const importer = lineImporter(basename(file));
    for (const line of readFileSync(file, 'utf8').split('\n')) importer.line(line);
    for (const { title, points } of importer.end().sweeps) {
      const usable = usablePoints(points);
      if (usable.points.length < 4) continue;
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
}
