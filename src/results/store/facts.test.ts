import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixture, importText } from '../../../test/imported.ts';
import { findEntry, labelOf, listRuns, openSweep, readSweep, saveImportedSweep, setFacts, tagRun } from './index.ts';

let store: string;
let dir: string;
const imported = importText(fixture('published/evalscope-mxc500.md')).sweeps.find(({ title }) => title === '结果对比');
const ids = imported!.points.map(({ runId }) => runId);

beforeAll(async () => {
  store = await mkdtemp(join(tmpdir(), 'llmdyno-facts-'));
  const sweep = { ...imported!, schema: 'llmdyno.sweep/1' as const, findings: [] };
  dir = await saveImportedSweep(store, { sweep, importedAt: '2026-11-19T00:00:00.000Z', llmdyno: '0', command: null });
});
afterAll(() => rm(store, { recursive: true }));

describe('an import among what the store holds', () => {
  test('is listed by the model that it is said to be of, and found by a part of it in any case', async () => {
    await setFacts(dir, null, { model: 'Qwen2.5-72B-Instruct' });
    const [sweep] = await listRuns(store, { model: 'QWEN2.5-72b' });
    expect(sweep).toMatchObject({ id: imported!.id, models: ['Qwen2.5-72B-Instruct'] });
    expect(await listRuns(store, { model: 'llama' })).toEqual([]);
    await setFacts(dir, null, { model: null });
    expect(await listRuns(store, {})).toMatchObject([{ models: [] }]);
  });
  test('a name that is none says which hold it', async () => {
    const part = imported!.id.slice(7).toUpperCase();
    await expect(findEntry(store, part)).rejects.toMatchObject({
      mistakes: [
        { code: 'no-such-run', hint: { en: expect.stringContaining(`in their name: ${imported!.id}.`) as string } },
      ],
    });
    await expect(findEntry(store, 'nothing-like-it')).rejects.toMatchObject({
      mistakes: [{ hint: { en: expect.stringMatching(/^List/) as string } }],
    });
  });
});

describe('what is said of a result later', () => {
  test('a name finds it, and the record stays as it was written', async () => {
    const before = await readFile(join(dir, 'sweep.json'), 'utf8');
    await setFacts(dir, null, { name: 'numa', model: 'Qwen2.5-72B-Instruct', cards: 4 });
    const entry = await findEntry(store, 'numa');
    expect(labelOf(entry)).toBe('numa');
    expect(entry.facts!.own).toEqual({ name: 'numa', model: 'Qwen2.5-72B-Instruct', cards: 4 });
    expect(await readFile(join(dir, 'sweep.json'), 'utf8')).toBe(before);
  });
  test('what is said of a sweep holds for its points, and what is said of a point for it alone', async () => {
    await setFacts(dir, null, { engine: 'vLLM' });
    await setFacts(dir, [ids[1]!], { variant: 'B', batch: '50' });
    const { points, title } = await readSweep(await openSweep(store, 'numa'));
    expect(title).toBe('numa');
    expect(points.map(({ model }) => model)).toEqual(ids.map(() => 'Qwen2.5-72B-Instruct'));
    expect(points.map(({ asked }) => asked!.engine)).toEqual(ids.map(() => 'vLLM'));
    expect(points[1]!.asked).toMatchObject({ variant: 'B', settings: { batch: '50' } });
    expect(points[0]!.asked!.variant).toBe('无');
  });
  test('null takes it back', async () => {
    await setFacts(dir, [ids[1]!], { variant: null, batch: null });
    await setFacts(dir, null, { engine: null });
    const { points } = await readSweep(await openSweep(store, 'numa'));
    // What was said of the sweep itself stands.
    expect(points[1]!.asked).toEqual({ variant: 'numactl -N0 -m0', cards: 4 });
  });
  test('a tag names it too', async () => {
    await tagRun(store, 'numa', { add: ['baseline'] });
    expect((await findEntry(store, 'baseline')).dir).toBe(dir);
  });
});
