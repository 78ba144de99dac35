// False alarms: the same simulated engine against itself, in virtual time.
//   node bench/find/false-alarms.mjs [--pairs 200]
// Gates: does a condition that speaks of a change fail although there is none? Find: do two searches of one engine contradict each other?
import { bundled } from '../../scripts/bundled.mjs';

const at = process.argv.indexOf('--pairs');
const pairs = at === -1 ? 200 : Number(process.argv[at + 1]);
const s = await bundled(`
  export * from './test/laws/find-engines.ts';
  export { comparePoint } from './src/results/measure/compare.ts';
  export { parseGate } from './src/results/measure/index.ts';`);

const conditions = [
  'outputTokensPerSec<0%',
  'ttft.p50>0%',
  'ttft.p99>0%',
  'tpot.p50>0%',
  'tpot.p99>0%',
  'latency.p99>0%',
  'failed>+0%',
];
const gates = conditions.map(s.parseGate);
const alarms = new Map(conditions.map((text) => [text, { failed: 0, sure: 0 }]));
let anyMetric = 0;
let disjoint = 0;
for (let pair = 0; pair < pairs; pair++) {
  const engine = s.drawEngine(pair);
  const runs = [
    await s.measuredAt(engine, 16, 600, 20_001 + 2 * pair),
    await s.measuredAt(engine, 16, 600, 20_002 + 2 * pair),
  ];
  const { gates: judged, rows } = s.comparePoint(runs, 16, gates, () => []);
  for (const { text, state } of judged) {
    const count = alarms.get(text);
    if (state === 'failed') count.failed += 1;
    if (state !== 'unsure' && state !== 'unknown') count.sure += 1;
  }
  if (rows.some(({ significant }) => significant)) anyMetric += 1;
  const [a, b] = [await s.searchEngine(engine, 30_001 + 2 * pair), await s.searchEngine(engine, 30_002 + 2 * pair)];
  const apart = (x, y) => x.value !== null && y.breaksAt !== null && x.value >= y.breaksAt;
  if (apart(a, b) || apart(b, a)) disjoint += 1;
}
console.log(`| what | false alarms of ${pairs} |`);
console.log('|---|---|');
for (const [text, { failed }] of alarms)
  console.log(`| --fail-if '${text}' | ${failed} (${((100 * failed) / pairs).toFixed(1)} %) |`);
console.log(
  `| any metric of dyno compare called different | ${anyMetric} (${((100 * anyMetric) / pairs).toFixed(1)} %) |`,
);
console.log(
  `| dyno find: an answer where the other search saw a break | ${disjoint} (${((100 * disjoint) / pairs).toFixed(1)} %) |`,
);
