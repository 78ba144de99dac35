import { problems } from '../../core/index.ts';
import type { Outcome } from '../../core/index.ts';

/** The columns of a run's requests as they travel, in this order: float64, little endian, NaN = not known. */
export const columnNames = [
  'seq',
  'dueMs',
  'sentMs',
  'firstOutputMs',
  'endMs',
  'inputTokens',
  'outputTokens',
  'outcome',
  'problem',
  'atByte',
] as const;
export type ColumnName = (typeof columnNames)[number];

/** One block of rows. A body of columns is blocks behind each other: rows (float64), then every column. */
export type ColumnBlock = Record<ColumnName, Float64Array>;

/** Outcomes by the number that stands in the outcome column. */
export const outcomeNames = ['ok', 'failed', 'cancelled', 'dropped'] as const satisfies readonly Outcome[];

/** Problem codes by the number that stands in the problem column; −1 = none. */
export const problemNames = Object.keys(problems) as (keyof typeof problems)[];

/** A block as bytes. */
export function packBlock(block: ColumnBlock): Uint8Array {
  const rows = block.seq.length;
  const packed = new Float64Array(1 + rows * columnNames.length);
  packed[0] = rows;
  for (const [i, name] of columnNames.entries()) packed.set(block[name], 1 + i * rows);
  return new Uint8Array(packed.buffer);
}

/** Takes bytes in any pieces and gives every block that is whole. */
export function blockReader(): (piece: Uint8Array) => ColumnBlock[] {
  let waiting = new Uint8Array(0);
  return (piece) => {
    const joined = new Uint8Array(waiting.length + piece.length);
    joined.set(waiting);
    joined.set(piece, waiting.length);
    const blocks: ColumnBlock[] = [];
    let at = 0;
    while (joined.length - at >= 8) {
      const rows = new DataView(joined.buffer, at).getFloat64(0, true);
      const bytes = 8 * (1 + rows * columnNames.length);
      if (joined.length - at < bytes) break;
      const values = new Float64Array(joined.slice(at + 8, at + bytes).buffer);
      const block = {} as ColumnBlock;
      for (const [i, name] of columnNames.entries()) block[name] = values.subarray(i * rows, (i + 1) * rows);
      blocks.push(block);
      at += bytes;
    }
    waiting = joined.slice(at);
    return blocks;
  };
}
