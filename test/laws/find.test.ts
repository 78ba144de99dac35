import { expect, test } from 'vitest';
import { drawEngine, keeps, searchEngine, truthAt } from './find-engines.ts';

// bench/find/law.mjs does the same for a hundred.
test('law: of 20 engines with unlike limits the truth lies within the bounds of 19, half take at most 8 probes, and what limits is named', async () => {
  let [inside, named] = [0, 0];
  const probes: number[] = [];
  for (let seed = 0; seed < 20; seed++) {
    const engine = drawEngine(seed);
    const found = await searchEngine(engine, seed);
    const { value, breaksAt, limit, confirmed } = found;
    probes.push(found.probes.length);
    // The answer keeps every promise over a long run, and the load that broke one breaks it there too.
    const low = value === null || keeps(await truthAt(engine, value, 7001 + seed));
    const high = breaksAt === null ? value === engine.most : !keeps(await truthAt(engine, breaksAt, 8001 + seed));
    if (low && high && (confirmed || value === null)) inside += 1;
    if (limit === (engine.kind === 'none' ? 'range' : engine.kind)) named += 1;
  }
  expect(inside).toBeGreaterThanOrEqual(19);
  expect(probes.toSorted((a, b) => a - b)[10]).toBeLessThanOrEqual(8);
  expect(named).toBeGreaterThanOrEqual(18);
});
