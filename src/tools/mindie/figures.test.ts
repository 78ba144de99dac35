import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compressed } from './figures.ts';

describe('batch sizes told by every member of a batch', () => {
  it('are one entry for each batch: three batches of four are told twelve times', () => {
    expect(compressed(Array.from({ length: 12 }, () => 4))).toEqual([4, 4, 4]);
    expect(compressed([1, 2, 2, 1])).toEqual([1, 1, 2]);
  });
  it('of whole batches gives back the batches, whatever their order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 12 }), (batches) => {
        const told = batches.flatMap((size) => Array.from({ length: size }, () => size));
        expect(compressed(told).toSorted()).toEqual(batches.toSorted());
      }),
    );
  });
  it('a batch whose other members were lost still counts as one', () => {
    expect(compressed([8])).toEqual([8]);
  });
});
