import { closeSync, openSync, readSync, rmSync, unlinkSync, write } from 'node:fs';
import { join } from 'node:path';
import { invariant } from '../../core/index.ts';

const slabBytes = 64 * 1024;
/** Slabs kept to be filled again. */
const mostSpare = 16;

/** Numbers that wait for the end of a run on disk instead of in memory: see Shelf in the measure room. */
export interface SpillFile {
  slab(): Float64Array;
  put(slab: Float64Array): number;
  read(place: number, into: Float64Array): void;
  free(place: number): void;
  /** Gives the room on disk back; nothing can be read any more. */
  close(): void;
}

/**
 * A shelf in a folder. Its file is made with the first slab and has no name from then on, so that nothing is left of it
 * however the process ends. Writing never waits: a slab stays in memory until it is written, and for good where the disk fails.
 */
export function makeSlabShelf(dir: string): SpillFile {
  const file = join(dir, '.slabs');
  const inMemory = new Map<number, Float64Array>();
  const spare: Float64Array[] = [];
  const freed: number[] = [];
  let handle: number | null = null;
  let failed = false;
  let writing = 0;
  let closed = false;
  let places = 0;

  const openFile = (): number | null => {
    try {
      handle ??= openSync(file, 'wx+', 0o600);
      unlinkSync(file);
    } catch {
      // Without a file the slabs stay in memory; where a name cannot be taken away from an open file, close does it.
      failed = handle === null;
    }
    return handle;
  };
  const end = (): void => {
    if (handle === null || !closed || writing > 0) return;
    closeSync(handle);
    handle = null;
    rmSync(file, { force: true });
  };
  const keep = (place: number, slab: Float64Array): void => {
    const into = failed ? null : (handle ?? openFile());
    if (into === null) return;
    const bytes = new Uint8Array(slab.buffer, slab.byteOffset, slab.byteLength);
    writing++;
    write(into, bytes, 0, slabBytes, place * slabBytes, (error, written) => {
      writing--;
      end();
      failed ||= error !== null || written !== slabBytes;
      if (failed || inMemory.get(place) !== slab) return;
      inMemory.delete(place);
      if (spare.length < mostSpare) spare.push(slab);
    });
  };

  return {
    slab: () => spare.pop() ?? new Float64Array(slabBytes / Float64Array.BYTES_PER_ELEMENT),
    put(slab) {
      invariant(slab.byteLength === slabBytes, 'a shelf takes slabs of one size');
      const place = freed.pop() ?? places++;
      inMemory.set(place, slab);
      keep(place, slab);
      return place;
    },
    read(place, into) {
      const slab = inMemory.get(place);
      if (slab !== undefined) return into.set(slab);
      const read = readSync(handle!, into, 0, slabBytes, place * slabBytes);
      invariant(read === slabBytes, 'what was put on the shelf is there');
    },
    free(place) {
      // A place whose write is still under way is not given out again: the write would come after the next one's.
      if (inMemory.delete(place)) return;
      freed.push(place);
    },
    close() {
      closed = true;
      inMemory.clear();
      end();
    },
  };
}
