const slabLength = 8192;

/** A growing list of numbers in Float64Array slabs: 8 bytes a value, and growing never copies what is there. */
export interface Column {
  readonly length: number;
  push(value: number): void;
  at(index: number): number;
  append(other: Column): void;
  /** One flat copy. */
  toArray(): Float64Array;
}

/** An empty column. */
export function makeColumn(): Column {
  const slabs: Float64Array[] = [];
  let length = 0;
  const column: Column = {
    get length() {
      return length;
    },
    push(value) {
      const within = length % slabLength;
      if (within === 0) slabs.push(new Float64Array(slabLength));
      slabs[slabs.length - 1]![within] = value;
      length += 1;
    },
    at: (index) => slabs[Math.floor(index / slabLength)]![index % slabLength]!,
    append(other) {
      const count = other.length;
      for (let i = 0; i < count; i++) column.push(other.at(i));
    },
    toArray() {
      const flat = new Float64Array(length);
      for (const [i, slab] of slabs.entries()) {
        const start = i * slabLength;
        flat.set(slab.subarray(0, Math.min(slabLength, length - start)), start);
      }
      return flat;
    },
  };
  return column;
}
