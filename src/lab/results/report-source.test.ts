import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Sweep } from '../../core/index.ts';
import { saveImportedSweep, tagPoints } from '../../results/store/index.ts';
import { samplePoint } from '../../../test/sample-point.ts';
import { entryNamed, sourcesOf } from './report-source.ts';

let store: string;
beforeEach(async () => {
  store = await mkdtemp(join(tmpdir(), 'llmdyno-tags-'));
  const at = (variant: string): ReturnType<typeof samplePoint> =>
    samplePoint({ runId: `import-numa-${variant}`, asked: { variant } });
  const points = [at('A'), at('B'), at('C')];
  const sweep: Sweep = {
    schema: 'llmdyno.sweep/1',
    id: 'import-numa',
    title: 'numa',
    variable: 'concurrency',
    points,
    findings: [],
  };
  await saveImportedSweep(store, { sweep, importedAt: '2026-11-19T00:00:00.000Z', llmdyno: '0', command: null });
});
afterEach(() => rm(store, { recursive: true }));

const variantsOf = async (word: string): Promise<unknown[]> =>
  (await sourcesOf([word], { store, onProblems: () => {} })).flatMap(({ sweep }) =>
    sweep.points.map(({ asked }) => asked?.variant),
  );

test('a tag given to a point by its address names that point wherever a run can be named, until it is taken back', async () => {
  const { entry, points } = await entryNamed(store, 'numa[variant=B]');
  expect(await tagPoints(entry.dir, points!, { add: ['bound', 'good'] })).toEqual(['bound', 'good']);
  expect(await variantsOf('bound')).toEqual(['B']);
  expect((await entryNamed(store, 'good')).points).toEqual(points);
  expect(await tagPoints(entry.dir, points!, { remove: ['bound'] })).toEqual(['good']);
  await expect(variantsOf('bound')).rejects.toMatchObject({ mistakes: [{ code: 'no-such-run' }] });
  // The sweep itself keeps its own name.
  expect(await variantsOf('numa')).toEqual(['A', 'B', 'C']);
});
