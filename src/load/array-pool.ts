/** Bytes kept for later; what is over is left to the collector, so that one day of long answers is not held for ever. */
const mostKeptBytes = 16 * 1024 * 1024;

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
  #keptBytes = 0;

  constructor(smallest: number, make: (length: number) => T) {
    this.#smallest = smallest;
    this.#make = make;
  }

  /** An array of at least this length; what stands in it is left from its last use. */
  take(atLeast: number): T {
    const size = this.#sizeOf(atLeast);
    const kept = this.#kept[size]?.pop();
    if (kept === undefined) return this.#make(this.#smallest * 2 ** size);
    this.#keptBytes -= kept.byteLength;
    return kept;
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
    if (this.#keptBytes + array.byteLength > mostKeptBytes) return;
    this.#keptBytes += array.byteLength;
    (this.#kept[this.#sizeOf(array.length)] ??= []).push(array);
  }

  #sizeOf(length: number): number {
    return Math.max(0, Math.ceil(Math.log2(length / this.#smallest)));
  }
}
