/** An array of numbers or bytes that lives outside the collector's reach. */
type Flat = Float64Array | Uint8Array;

/**
 * Pages for numbers and for bytes. They are SharedArrayBuffers, because V8 counts the bytes of other buffers towards its next
 * garbage collection: streams that grow would set one off while their reads are stamped.
 */
export const numberPage = (length: number): Float64Array => new Float64Array(new SharedArrayBuffer(8 * length));
export const bytePage = (length: number): Uint8Array => new Uint8Array(new SharedArrayBuffer(length));

/** Few blocks to a page, so that the rehearsal fills and frees pages, because V8 throws compiled code away at the first branch it has not seen taken. */
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
 * Lends blocks of one length out of large pages. An answer that grows takes another block and gives all of them back at its end.
 * Arrays that grow would be copied instead, and a thousand streams that begin together would all do so at the same time and
 * keep the garbage collector busy with the old ones.
 */
export class BlockPool<T extends Flat> {
  readonly blockLength: number;
  readonly #pages: (Page<T> | null)[] = [];
  readonly #unused: number[] = [];
  /** Pages with blocks to give; those that are gone are passed over. */
  readonly #roomy: Page<T>[] = [];
  #emptyBytes = 0;

  constructor(
    blockLength: number,
    private readonly make: (length: number) => T,
  ) {
    this.blockLength = blockLength;
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
    const array = this.make(blocksPerPage * this.blockLength);
    // `take` takes from the end of the list: the first block of the page first.
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
    page.array = this.make(0);
    page.free = [];
    this.#pages[page.index] = null;
    this.#unused.push(page.index);
  }
}
