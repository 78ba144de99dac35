import { expect, test } from 'vitest';
import { sampleDistribution, samplePoint } from '../../../test/sample-point.ts';
import type { Sweep } from '../../core/index.ts';
import type { MachineOf } from '../measure/index.ts';
import { frontierFigure } from './chart/frontier-figure.ts';
import { frontierDocument } from './frontier-curves.ts';
import { frontierMarkdown, frontierText } from './frontier-table.ts';

/** Loads as [concurrency, speed of half of the users, tokens/s]. */
function sweep(title: string, loads: readonly (readonly [number, number, number])[]): Sweep {
  const points = loads.map(([concurrency, speed, perSec]) =>
    samplePoint({
      runId: `${title}-${concurrency}`,
      load: { kind: 'closed', concurrency, ratePerSec: null, stream: true },
      userTokensPerSec: sampleDistribution({ p50: speed }),
      outputTokensPerSec: perSec,
    }),
  );
  return { schema: 'llmdyno.sweep/1', id: title, title, variable: 'concurrency', points, findings: [] };
}

const a = sweep('A', [
  [1, 50, 100],
  [8, 30, 400],
  [16, 10, 800],
  [32, 5, 700],
]);
const b = sweep('B', [
  [1, 40, 80],
  [8, 20, 320],
]);
const cards =
  (of: Record<string, number>): MachineOf =>
  ({ runId }) => ({ pricePerHour: null, cards: of[runId[0]!] ?? null, powerW: null });

test('a table of two systems per card: straight between points, nothing beyond them, dominated loads named', () => {
  const text = frontierText([a, b], cards({ A: 8, B: 2 }), { lang: 'en' });
  // A at 20: halfway between 800 and 400 on 8 cards; B at 30: halfway between 320 and 80 on 2.
  expect(text).toMatch(/per card/);
  expect(text).toMatch(/^10 +100\.00 +–$/m);
  expect(text).toMatch(/^20 +75\.00 +160\.00$/m);
  expect(text).toMatch(/^30 +50\.00 +100\.00$/m);
  expect(text).toMatch(/^50 +12\.50 +–$/m);
  expect(text).toContain(': A 32.');
  expect(frontierMarkdown([a], undefined, { lang: 'zh' })).toContain('| 20 | 600 |');
});

test('what only one side knows divides nothing, and says how to tell it', () => {
  const text = frontierText([a, b], cards({ A: 8 }), { lang: 'en' });
  expect(text).toContain('Throughput of the system');
  expect(text).toContain('dyno runs set RUN cards=');
});

test('the picture has a line for each system and the dominated points in grey beside them', () => {
  const [panel] = frontierFigure([a, b], cards({ A: 8, B: 2 }))!.panels;
  const series = panel?.kind === 'lines' ? panel.series : [];
  expect(series.map(({ kind, faint = false, points }) => [kind, faint, points.map(({ x }) => x)])).toEqual([
    ['line', false, [10, 30, 50]],
    ['line', false, [20, 40]],
    ['dots', true, [5]],
  ]);
});

test('single runs have no frontier', () => {
  const one = sweep('C', [[8, 30, 400]]);
  expect(frontierFigure([one, one])).toBeNull();
  expect(frontierText([one], undefined, { lang: 'en' })).toBe('');
  expect(frontierDocument([one])).toEqual([]);
});
