import { expect, test } from 'vitest';
import { BlockPool } from './block-pool.ts';

test('blocks that are out share no place, however many there are', () => {
  const store = new BlockPool(5, (length) => new Uint8Array(length));
  const blocks = Array.from({ length: 1000 }, () => store.take());
  expect(new Set(blocks).size).toBe(1000);
  const places = blocks.map((block) => store.page(block).subarray(store.start(block), store.start(block) + 5));
  for (const [i, place] of places.entries()) place.fill(i % 251);
  for (const [i, place] of places.entries()) expect([...place]).toEqual([1, 1, 1, 1, 1].map(() => i % 251));
});

test('what is given back is taken again before anything new is made', () => {
  let made = 0;
  const store = new BlockPool(4, (length) => {
    made += length;
    return new Float64Array(length);
  });
  const blocks = Array.from({ length: 300 }, () => store.take());
  const before = made;
  for (let round = 0; round < 10; round++) {
    for (const block of blocks) store.give(block);
    for (let i = 0; i < blocks.length; i++) blocks[i] = store.take();
  }
  expect(new Set(blocks).size).toBe(300);
  expect(made).toBe(before);
});

test('no more than sixteen megabytes are kept without use, and what is out stays whole meanwhile', () => {
  let heldBytes = 0;
  const made: Uint8Array[] = [];
  const store = new BlockPool(4096, (length) => {
    made.push(new Uint8Array(length));
    return made.at(-1)!;
  });
  const kept = store.take();
  store.page(kept)[store.start(kept)] = 77;
  // 64 MB, given back in an order that leaves pages empty one after the other and all in between.
  const many = Array.from({ length: 16_384 }, () => store.take());
  for (const block of [...many.filter((_, i) => i % 2 === 0), ...many.filter((_, i) => i % 2 === 1)]) store.give(block);
  expect(store.page(kept)[store.start(kept)]).toBe(77);
  made.length = 0;
  // What was kept is used first; the rest of another 64 MB has to be made anew.
  const again = Array.from({ length: 16_384 }, () => store.take());
  expect(new Set([kept, ...again]).size).toBe(16_385);
  for (const page of made) heldBytes += page.byteLength;
  expect(heldBytes).toBeGreaterThanOrEqual(47 * 1024 * 1024);
  expect(heldBytes).toBeLessThanOrEqual(49 * 1024 * 1024);
});
