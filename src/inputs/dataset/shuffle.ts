import { randomStream } from '../../core/index.ts';
import type { RawRecord } from './record.ts';

/** Records and bytes held at once while their order is mixed. */
const windowRecords = 4096;
const windowBytes = 32 * 1024 * 1024;

/**
 * The same records in a mixed order that depends on the seed alone: each place takes a random one of those held, up to
 * 4,096 or 32 MiB. A file within that is mixed through and through; a larger one locally, in bounded memory.
 */
export async function* shuffledBatches(batches: AsyncIterable<RawRecord[]>, seed: number): AsyncGenerator<RawRecord[]> {
  const chance = randomStream(seed, 'dataset order');
  const held: RawRecord[] = [];
  let heldBytes = 0;
  const take = (): RawRecord => {
    const at = chance.below(held.length);
    const taken = held[at]!;
    held[at] = held.at(-1)!;
    held.pop();
    heldBytes -= sizeOf(taken);
    return taken;
  };
  for await (const batch of batches) {
    const out: RawRecord[] = [];
    for (const record of batch) {
      // A copy: a record is a view of the chunk it was read with, and would keep all of it.
      held.push('bytes' in record ? { ...record, bytes: Buffer.from(record.bytes) } : record);
      heldBytes += sizeOf(record);
      if (held.length > windowRecords || (heldBytes > windowBytes && held.length > 1)) out.push(take());
    }
    if (out.length > 0) yield out;
  }
  const rest: RawRecord[] = [];
  while (held.length > 0) rest.push(take());
  if (rest.length > 0) yield rest;
}

function sizeOf(record: RawRecord): number {
  return 'bytes' in record ? record.bytes.length : 1024;
}
