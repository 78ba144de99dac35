import { describe, expect, test } from 'vitest';
import { randomStream } from '../../core/index.ts';
import { exchange } from '../../../test/fixtures/measure/exchanges.ts';
import { makeColumn, slabLength } from './column.ts';
import type { Shelf } from './column.ts';
import { makeGapPool } from './gap-pool.ts';
import { makeMeter } from './meter.ts';
import type { MeterOptions } from './meter.ts';

/** A shelf that spoils every slab it takes over, and counts. */
function countingShelf(): Shelf & { held: Map<number, Float64Array>; reads: number } {
  const held = new Map<number, Float64Array>();
  let places = 0;
  return {
    held,
    reads: 0,
    slab: () => new Float64Array(slabLength).fill(-1),
    put(slab) {
      held.set(places, slab.slice());
      slab.fill(-7);
      return places++;
    },
    read(place, into) {
      this.reads++;
      into.set(held.get(place)!);
    },
    free(place) {
      expect(held.delete(place)).toBe(true);
    },
  };
}

test('a column on a shelf holds what was pushed, in order, and leaves nothing behind', () => {
  const shelf = countingShelf();
  const column = makeColumn(shelf);
  const count = 2 * slabLength + 17;
  for (let i = 0; i < count; i++) column.push(i * 3);
  expect([column.length, shelf.held.size]).toEqual([count, 2]);
  const flat = column.toArray();
  for (let i = 0; i < count; i += 131) expect([column.at(i), flat[i]]).toEqual([i * 3, i * 3]);
  const other = makeColumn();
  other.append(column);
  expect(other.toArray()).toEqual(flat);
  column.clear();
  expect([column.length, shelf.held.size]).toEqual([0, 0]);
  column.push(5);
  expect([column.at(0), column.length]).toEqual([5, 1]);
});

describe('a long run', () => {
  const options: MeterOptions = {
    load: { kind: 'open', concurrency: null },
    stream: true,
    slo: ['ttft<60ms', 'latency<1s'],
  };
  const draw = randomStream(9, 'column');
  const all = Array.from({ length: 19_000 }, (_, seq) => {
    const sentMs = seq + draw.next();
    const first = sentMs + 100 * draw.next();
    const endMs = first + 50 * draw.next();
    return exchange({ seq, dueMs: seq, sentMs, chunks: { atMs: [first, endMs], tokens: [1, 1], kinds: 'aa' }, endMs });
  });
  const read = (more: Partial<MeterOptions>) => {
    const meter = makeMeter({ ...options, ...more });
    for (const one of all) meter.add(one);
    return meter.read();
  };

  test('reads the same from a shelf as from memory, whole or folded', () => {
    expect(read({ shelf: countingShelf() })).toEqual(read({}));
    const bounded = { exactRequests: 8500, exactGaps: 8900 };
    const shelf = countingShelf();
    expect(read({ ...bounded, shelf })).toEqual(read(bounded));
    // Rows that were folded are on the shelf no more; what has come since stays in the ten slabs being filled.
    expect(shelf.held.size).toBe(0);
  });

  test('no single request waits for others to be folded: each reads at most one slab of each column', () => {
    const shelf = countingShelf();
    const meter = makeMeter({ ...options, exactRequests: 8500, exactGaps: 8900, shelf });
    let most = 0;
    for (const one of all) {
      const before = shelf.reads;
      meter.add(one);
      most = Math.max(most, shelf.reads - before);
    }
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(13);
  });

  test('gaps above the cap are all there, whenever they are read', () => {
    const pool = makeGapPool(100, countingShelf());
    for (let i = 0; i < 100; i++) pool.add(1, 1, i);
    expect(pool.collapsed).toBe(false);
    for (let i = 0; i < 10; i++) pool.add(1, 1, i);
    expect([pool.collapsed, pool.distribution()!.n]).toEqual([true, 110]);
    for (let i = 0; i < 5; i++) pool.add(1, 1, i);
    expect(pool.distribution()!.n).toBe(115);
    const both = makeGapPool(1000);
    both.add(2, 1, 0);
    both.merge(pool);
    expect(both.distribution()).toMatchObject({ n: 116, min: 1, max: 2 });
  });
});
