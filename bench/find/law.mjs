// `dyno find` in virtual time on drawn engines whose limit is known: is the truth inside its bounds, and what does it take?
//   node bench/find/law.mjs [--engines 100] [--from 0] [--verbose]
import { bundled } from '../../scripts/bundled.mjs';

const option = (name, otherwise) => {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? otherwise : Number(process.argv[at + 1]);
};
const s = await bundled(`export * from './test/laws/find-engines.ts';`);
const from = option('from', 0);
const until = from + option('engines', 100);
const rows = [];
for (let seed = from; seed < until; seed++) {
  const engine = s.drawEngine(seed);
  const found = await s.searchEngine(engine, seed);
  const { value, confirmed, breaksAt, probes, virtualMs, limit } = found;
  // No answer is right where the least load breaks a promise.
  const low = value === null ? true : s.keeps(await s.truthAt(engine, value, 7001 + seed));
  const high =
    breaksAt === null
      ? limit === 'range' && value === engine.most
      : !s.keeps(await s.truthAt(engine, breaksAt, 8001 + seed));
  const row = {
    seed,
    kind: engine.kind,
    value,
    confirmed,
    breaksAt,
    probes: probes.length,
    s: virtualMs / 1000,
    limit,
    low,
    high,
  };
  rows.push(row);
  if (process.argv.includes('--verbose'))
    console.log(
      JSON.stringify(row),
      probes.map((p) => `${p.value}${p.kept ? '✓' : '✗'}${p.fresh ? 'f' : ''}`).join(' '),
    );
}

const middle = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
const share = (list, test) => `${list.filter(test).length} of ${list.length}`;
console.log(
  '| what limits | truth inside | confirmed | probes, median (most) | time, median (most) | breaks ÷ answer | limit named |',
);
console.log('|---|---|---|---|---|---|---|');
const wanted = { none: 'range' };
for (const kind of [...s.limitKinds, 'all']) {
  const of = rows.filter((row) => kind === 'all' || row.kind === kind);
  if (of.length === 0) continue;
  const ratios = of
    .filter(({ breaksAt, value }) => breaksAt !== null && value !== null)
    .map(({ breaksAt, value }) => breaksAt / value);
  const named = share(of, (row) => row.limit === (wanted[row.kind] ?? row.kind));
  console.log(
    `| ${kind} | ${share(of, ({ low, high }) => low && high)} | ${share(of, ({ confirmed }) => confirmed)} | ${middle(of.map(({ probes }) => probes))} (${Math.max(...of.map(({ probes }) => probes))}) | ${middle(of.map((row) => row.s)).toFixed(0)} s (${Math.max(...of.map((row) => row.s)).toFixed(0)} s) | ${ratios.length === 0 ? '–' : middle(ratios).toFixed(2)} | ${named} |`,
  );
}
