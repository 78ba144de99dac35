// False alarms: the same simulated engine against itself, in virtual time.
//   node bench/find/false-alarms.mjs [--pairs 200]
// Gates: does a condition that speaks of a change fail although there is none, and does it where every step takes a tenth longer?
// Find: do two searches of one engine contradict each other?
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
const alarms = new Map(conditions.map((text) => [text, { failed: 0, found: 0 }]));
const slower = (engine) => {
  const cost = Object.entries(engine.profile.cost).map(([key, value]) => [
    key,
    typeof value === 'number' ? value / 0.9 : value,
  ]);
  return { ...engine, profile: { ...engine.profile, cost: Object.fromEntries(cost) } };
};
let anyMetric = 0;
let disjoint = 0;
for (let pair = 0; pair < pairs; pair++) {
  const engine = s.drawEngine(pair);
  const runs = [
    await s.measuredAt(engine, 16, 600, 20_001 + 2 * pair),
    await s.measuredAt(engine, 16, 600, 20_002 + 2 * pair),
  ];
  const { gates: judged, rows } = s.comparePoint(runs, 16, gates, () => []);
  for (const { text, state } of judged) if (state === 'failed') alarms.get(text).failed += 1;
  const slow = await s.measuredAt(slower(engine), 16, 600, 20_002 + 2 * pair);
  for (const { text, state } of s.comparePoint([runs[0], slow], 16, gates, () => []).gates)
    if (state === 'failed') alarms.get(text).found += 1;
  if (rows.some(({ significant }) => significant)) anyMetric += 1;
  const [a, b] = [await s.searchEngine(engine, 30_001 + 2 * pair), await s.searchEngine(engine, 30_002 + 2 * pair)];
  const apart = (x, y) => x.value !== null && y.breaksAt !== null && x.value >= y.breaksAt;
  if (apart(a, b) || apart(b, a)) disjoint += 1;
}
const share = (count) => `${count} (${((100 * count) / pairs).toFixed(1)} %)`;
console.log(`| what | false alarms of ${pairs} | a tenth slower: found |\n|---|---|---|`);
for (const [text, { failed, found }] of alarms)
  console.log(`| \`--fail-if '${text}'\` | ${share(failed)} | ${share(found)} |`);
console.log(`| any metric of \`dyno compare\` called different | ${share(anyMetric)} | |`);
console.log(`| \`dyno find\`: an answer where the other search saw a break | ${share(disjoint)} | |`);
