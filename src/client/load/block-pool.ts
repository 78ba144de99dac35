/** An array of numbers or bytes that lives outside the collector's reach. */
type Flat = Float64Array | Uint8Array;

/**
 * Pages for numbers and for bytes. They are shared memory, though nobody shares them: the engine counts other memory as a reason to
 * collect, and streams that grow would make it collect in their midst.
 */
export const numberPage = (length: number): Float64Array => new Float64Array(new SharedArrayBuffer(8 * length));
export const bytePage = (length: number): Uint8Array => new Uint8Array(new SharedArrayBuffer(length));

/** Few to a page, so that a rehearsal sees pages run out and come back: the engine throws compiled code away at the first turn it has not seen taken. */
const pageBits = 5;
const blocksPerPage = 1 << pageBits;
/** Bytes kept for later; pages beyond that are let go once nothing lies in them, so that one endless answer is not held for ever. */
const mostKeptBytes = 16 * 1024 * 1024;

interface Page<T> {
  /** Its place in the list of pages. */
  index: number;
  array: T;
  /** Blocks of it that nobody has. */
  free: number[];
  gone: boolean;
}

/**
 * Blocks of one length out of large pages, to be used again and again. What answers grow into: a stream that ends hands its
 * blocks on, and none is ever copied into a larger one. A thousand streams that begin together would else all
 * grow in the same moment, and the collector would be busy with what they left behind.
 */
export class BlockPool<T extends Flat> {
  readonly blockLength: number;
  readonly #make: (length: number) => T;
  readonly #pages: (Page<T> | null)[] = [];
  readonly #unused: number[] = [];
  /** Pages with blocks to give; those that are gone are passed over. */
  readonly #roomy: Page<T>[] = [];
  #emptyBytes = 0;

  constructor(blockLength: number, make: (length: number) => T) {
    this.blockLength = blockLength;
    this.#make = make;
  }

  /** The number of a block that nobody else has; what stands in it is left from its last use. */
  take(): number {
    let page = this.#roomy.at(-1);
    while (page?.gone === true) {
      this.#roomy.pop();
      page = this.#roomy.at(-1);
    }
    page ??= this.#addPage();
    if (page.free.length === blocksPerPage) this.#emptyBytes -= page.array.byteLength;
    const block = page.free.pop()!;
    if (page.free.length === 0) this.#roomy.pop();
    return block;
  }

  /** Takes a block back; nobody may look at it any more. */
  give(block: number): void {
    const page = this.#pages[block >>> pageBits]!;
    if (page.free.push(block) === 1) this.#roomy.push(page);
    if (page.free.length < blocksPerPage) return;
    this.#emptyBytes += page.array.byteLength;
    if (this.#emptyBytes > mostKeptBytes) this.#letGo(page);
  }

  /** The page in which a block lies. */
  page(block: number): T {
    return this.#pages[block >>> pageBits]!.array;
  }

  /** Where a block begins in its page. */
  start(block: number): number {
    return (block & (blocksPerPage - 1)) * this.blockLength;
  }

  #addPage(): Page<T> {
    const index = this.#unused.pop() ?? this.#pages.length;
    const array = this.#make(blocksPerPage * this.blockLength);
    // The last one put down is the first one taken.
    const free = Array.from({ length: blocksPerPage }, (_, i) => (index << pageBits) + blocksPerPage - 1 - i);
    const page = { index, array, free, gone: false };
    this.#pages[index] = page;
    this.#roomy.push(page);
    this.#emptyBytes += array.byteLength;
    return page;
  }

  #letGo(page: Page<T>): void {
    page.gone = true;
    this.#emptyBytes -= page.array.byteLength;
    page.array = this.#make(0);
    page.free = [];
    this.#pages[page.index] = null;
    this.#unused.push(page.index);
  }
}
