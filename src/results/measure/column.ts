/** Numbers in one slab of a column. */
export const slabLength = 8192;

/** Where full slabs are kept until the end of a run, so that memory does not grow with its length. */
export interface Shelf {
  /** An empty slab. */
  slab(): Float64Array;
  /** Takes a full slab over; what is given back is its place. */
  put(slab: Float64Array): number;
  read(place: number, into: Float64Array): void;
  /** What stands at a place is not needed any more. */
  free(place: number): void;
}

/** A growing list of numbers in Float64Array slabs: 8 bytes a value, and growing never copies what is there. */
export interface Column {
  readonly length: number;
  push(value: number): void;
  /** Meant to be asked in order: of what is on a shelf one slab is at hand at a time. */
  at(index: number): number;
  append(other: Column): void;
  /** One flat copy. */
  toArray(): Float64Array;
  /** Empties the column. */
  clear(): void;
}

/** An empty column; with a shelf only the slab that is being filled stays in memory. */
export function makeColumn(shelf: Shelf | null = null): Column {
  const full: (Float64Array | number)[] = [];
  let filling: Float64Array = noSlab;
  let length = 0;
  let looked: Float64Array = noSlab;
  let lookedAt = -1;
  const slabAt = (index: number): Float64Array => {
    const kept = full[index];
    if (kept === undefined) return filling;
    if (typeof kept !== 'number') return kept;
    if (lookedAt !== index) {
      if (looked === noSlab) looked = new Float64Array(slabLength);
      shelf!.read(kept, looked);
      lookedAt = index;
    }
    return looked;
  };
  const column: Column = {
    get length() {
      return length;
    },
    push(value) {
      const within = length % slabLength;
      if (within === 0) {
        if (length > 0) full.push(shelf === null ? filling : shelf.put(filling));
        filling = shelf === null ? new Float64Array(slabLength) : shelf.slab();
      }
      filling[within] = value;
      length += 1;
    },
    at: (index) => slabAt(Math.floor(index / slabLength))[index % slabLength]!,
    append(other) {
      const count = other.length;
      for (let i = 0; i < count; i++) column.push(other.at(i));
    },
    toArray() {
      const flat = new Float64Array(length);
      for (let start = 0; start < length; start += slabLength) {
        flat.set(slabAt(start / slabLength).subarray(0, Math.min(slabLength, length - start)), start);
      }
      return flat;
    },
    clear() {
      for (const kept of full) if (typeof kept === 'number') shelf!.free(kept);
      full.length = 0;
      length = 0;
      lookedAt = -1;
      filling = looked = noSlab;
    },
  };
  return column;
}

const noSlab = new Float64Array(0);
