import fc from 'fast-check';
import { expect, test } from 'vitest';
import { blockReader, columnNames, packBlock } from './request-columns.ts';
import type { ColumnBlock } from './request-columns.ts';

const block = fc
  .integer({ min: 0, max: 20 })
  .chain((rows) => fc.tuple(...columnNames.map(() => fc.array(fc.double(), { minLength: rows, maxLength: rows }))))
  .map(
    (lists) => Object.fromEntries(columnNames.map((name, i) => [name, Float64Array.from(lists[i]!)])) as ColumnBlock,
  );

test('blocks arrive as they were sent, cut into pieces anywhere', () => {
  fc.assert(
    fc.property(fc.array(block, { maxLength: 4 }), fc.integer({ min: 1, max: 333 }), (blocks, size) => {
      const bytes = Buffer.concat(blocks.map(packBlock));
      const read = blockReader();
      const got: ColumnBlock[] = [];
      for (let at = 0; at < bytes.length; at += size) got.push(...read(bytes.subarray(at, at + size)));
      expect(got).toEqual(blocks);
    }),
    { numRuns: 100 },
  );
});
