import { expect, test } from 'vitest';
import { BlockStore } from './block-store.ts';

test('blocks that are out share no place, however many there are', () => {
  const store = new BlockStore(5, (length) => new Uint8Array(length));
  const blocks = Array.from({ length: 1000 }, () => store.take());
  expect(new Set(blocks).size).toBe(1000);
  const places = blocks.map((block) => store.page(block).subarray(store.start(block), store.start(block) + 5));
  for (const [i, place] of places.entries()) place.fill(i % 251);
  for (const [i, place] of places.entries()) expect([...place]).toEqual([1, 1, 1, 1, 1].map(() => i % 251));
});

test('what is given back is taken again before anything new is made', () => {
  let made = 0;
  const store = new BlockStore(4, (length) => {
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
