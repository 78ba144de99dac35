/** Arrays kept of each size; what is over is left to the collector. */
const mostKept = 1024;

/** An array of numbers or bytes that lives outside the collector's reach. */
type Flat = Float64Array | Uint8Array;

/**
 * Flat arrays to be used again, by size: each size is twice the one before. A stream that ends hands on what the next one
 * grows into, so that a long run makes no arrays at all and the collector has nothing to look for.
 */
export class ArrayPool<T extends Flat> {
  readonly #make: (length: number) => T;
  readonly #smallest: number;
  readonly #kept: T[][] = [];

  constructor(smallest: number, make: (length: number) => T) {
    this.#smallest = smallest;
    this.#make = make;
  }

  /** An array of at least this length; what stands in it is left from its last use. */
  take(atLeast: number): T {
    const size = this.#sizeOf(atLeast);
    return this.#kept[size]?.pop() ?? this.#make(this.#smallest * 2 ** size);
  }

  /** A larger one with what is in the first `used` places of this one, which is given back. */
  grow(array: T | null, used: number, atLeast: number): T {
    const larger = this.take(Math.max(atLeast, used * 2));
    if (array === null) return larger;
    for (let i = 0; i < used; i++) larger[i] = array[i]!;
    this.give(array);
    return larger;
  }

  /** Takes an array back; nobody may look at it any more. */
  give(array: T): void {
    const kept = (this.#kept[this.#sizeOf(array.length)] ??= []);
    if (kept.length < mostKept) kept.push(array);
  }

  #sizeOf(length: number): number {
    return Math.max(0, Math.ceil(Math.log2(length / this.#smallest)));
  }
}
