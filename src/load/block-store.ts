/** An array of numbers or bytes that lives outside the collector's reach. */
type Flat = Float64Array | Uint8Array;

const pageBits = 8;
const blocksPerPage = 1 << pageBits;

/**
 * Blocks of one length out of large pages, to be used again and again. What answers grow into: a stream that ends hands its
 * blocks on, and none is ever copied into a larger one. A thousand streams that begin together would else all
 * grow in the same moment, and the collector would be busy with what they left behind.
 */
export class BlockStore<T extends Flat> {
  readonly blockLength: number;
  readonly #make: (length: number) => T;
  readonly #pages: T[] = [];
  readonly #free: number[] = [];

  constructor(blockLength: number, make: (length: number) => T) {
    this.blockLength = blockLength;
    this.#make = make;
  }

  /** The number of a block that nobody else has; what stands in it is left from its last use. */
  take(): number {
    if (this.#free.length === 0) this.#addPage();
    return this.#free.pop()!;
  }

  /** Takes a block back; nobody may look at it any more. */
  give(block: number): void {
    this.#free.push(block);
  }

  /** The page in which a block lies, and where it begins there. */
  page(block: number): T {
    return this.#pages[block >>> pageBits]!;
  }

  start(block: number): number {
    return (block & (blocksPerPage - 1)) * this.blockLength;
  }

  #addPage(): void {
    const first = this.#pages.length << pageBits;
    this.#pages.push(this.#make(blocksPerPage * this.blockLength));
    // The last one put down is the first one taken.
    for (let i = blocksPerPage - 1; i >= 0; i--) this.#free.push(first + i);
  }
}
