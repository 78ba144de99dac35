import { expect, test } from 'vitest';
import { dynoHere } from '../in-process.ts';
import { emptyFolder } from './dyno.ts';

interface Trend {
  curves: { name: string; points: { value: number }[]; changes: { at: number; changeRatio: number }[] }[];
}

// In virtual time, so that a night takes no time and differs by its prompts alone.
test('runs of one label are a curve: the night from which the batch was smaller is marked, in both languages and as JSON', async () => {
  const store = await emptyFolder();
  const load = ['--input-tokens', '128', '--output-tokens', 'lognormal(48,0.3)', '-n', '400', '--concurrency', '16'];
  const night = (seed: number, ...more: string[]) =>
    dynoHere([
      'sim',
      ...load,
      '--profile',
      'qwen1.5-7b-mindie-8x910b4',
      '--label',
      'nightly',
      '--seed',
      String(seed),
      '--store',
      store,
      '--quiet',
      ...more,
    ]);
  for (let seed = 1; seed <= 7; seed++) await night(seed);
  for (let seed = 8; seed <= 10; seed++) await night(seed, '--set', 'maxBatchSize=12');
  const trend = (...flags: string[]) => dynoHere(['runs', '--trend', 'outputTokensPerSec', '--store', store, ...flags]);
  const { curves } = JSON.parse((await trend('--label', 'nightly', '--json')).out) as Trend;
  expect(curves).toHaveLength(1);
  expect(curves[0]!.points).toHaveLength(10);
  expect(curves[0]!.changes.map(({ at }) => at)).toEqual([7]);
  expect(curves[0]!.changes[0]!.changeRatio).toBeLessThan(-0.1);
  const { out } = await trend('--label', 'nightly');
  expect(out).toMatch(
    /^tokens\/s over 10 runs: 1 change, certain: −[\d.]+ %, worse since 20\d\d-\d\d-\d\d\.\nworse since 20\d\d-\d\d-\d\d/,
  );
  // Dots of the first seven stand above those of the last three, and the mark stands below the eighth.
  expect(out).toMatch(/┤(• ){6}•$/m);
  expect(out).toMatch(/└─{14}▼/);
  expect((await trend('--lang', 'zh')).out).toMatch(
    /^吞吐，10 次运行：1 处确定的变化：自 20\d\d-\d\d-\d\d 起 −[\d.]+ %（更差）。/,
  );
  const none = await trend('--label', 'weekly');
  expect([none.code, none.out]).toEqual([0, '']);
  expect(none.err).toContain('No finished run has that label');
  const wrong = await dynoHere(['runs', '--trend', 'speed', '--store', store]);
  expect([wrong.code, wrong.err.includes('there is no metric "speed"')]).toEqual([2, true]);
});
