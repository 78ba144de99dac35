import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeSlabShelf } from './spill-file.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'llmdyno-shelf-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const length = 8192;
const filled = (slab: Float64Array, with_: number): Float64Array => slab.fill(with_);
/** Long enough for what was put to be written: the disk is asked for something else, after it. */
const written = async (): Promise<void> => {
  for (let i = 0; i < 50; i++) await readdir(folder);
};

test('what was put is read back, before it is written and after, and a place that was freed is used again', async () => {
  const shelf = makeSlabShelf(folder);
  const into = new Float64Array(length);
  const read = (place: number): number => {
    shelf.read(place, into);
    expect(new Set(into).size).toBe(1);
    return into[0]!;
  };
  const places = Array.from({ length: 40 }, (_, i) => shelf.put(filled(shelf.slab(), i)));
  expect(places.map(read)).toEqual(Array.from({ length: 40 }, (_, i) => i));
  await written();
  expect(places.map(read)).toEqual(Array.from({ length: 40 }, (_, i) => i));
  shelf.free(places[7]!);
  const again = shelf.put(filled(shelf.slab(), 99));
  expect([again, read(again), read(places[8]!)]).toEqual([places[7], 99, 8]);
  await written();
  expect([read(again), read(places[6]!)]).toEqual([99, 6]);
  shelf.close();
});

test('nothing of it can be seen in the folder, and where the folder is gone the slabs stay in memory', async () => {
  const shelf = makeSlabShelf(folder);
  shelf.put(filled(shelf.slab(), 1));
  expect(await readdir(folder)).toEqual([]);
  shelf.close();
  const nowhere = makeSlabShelf(join(folder, 'gone'));
  const place = nowhere.put(filled(nowhere.slab(), 5));
  const into = new Float64Array(length);
  nowhere.read(place, into);
  expect(into[length - 1]).toBe(5);
  nowhere.close();
});
