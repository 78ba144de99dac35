import { Decompress } from 'fzstd';

/** A larger window is refused, as the zstd command does without --memory. */
const mostWindowBytes = 128 * 1024 * 1024;
/** What one block may become (RFC 8878, 3.1.1.2.4). */
const mostBlockBytes = 128 * 1024;
const zstdMagic = 0xfd2fb528;
const nothing = Buffer.alloc(0);

/** Unpacks zstd data of which at most so many bytes may come out. */
export function unzstdWhole(packed: Uint8Array, mostBytes: number): Uint8Array {
  const stream = new ZstdStream();
  const out: Buffer[] = [];
  let bytes = 0;
  for (const piece of stream.push(packed)) {
    bytes += piece.length;
    if (bytes > mostBytes) throw new Error(`more than the ${mostBytes} bytes it is said to hold`);
    out.push(piece);
  }
  if (!stream.ended) throw new Error('unexpected EOF');
  return Buffer.concat(out);
}

/**
 * Unpacks a zstd stream one block at a time: four packed bytes may stand for 128 KiB, so whoever hands in a whole chunk
 * may get gigabytes for it at once. The blocks are found here, because the library unpacks all it is given.
 */
export class ZstdStream {
  /** Packed bytes that wait for the rest of their block. */
  #held: Buffer = nothing;
  /** Of the frame under way; null = between frames. */
  #frame: { unpacker: Decompress; header: Buffer; sumBytes: number } | null = null;
  /** Bytes of a skippable frame that are still to come. */
  #skip = 0;
  #out: Buffer[] = [];
  #begun = false;
  readonly #mostWindowBytes: number;

  constructor(windowBytes = mostWindowBytes) {
    this.#mostWindowBytes = windowBytes;
  }

  /** A whole number of frames was read. */
  get ended(): boolean {
    return this.#begun && this.#frame === null && this.#held.length === 0 && this.#skip === 0;
  }

  /** What comes out of one more packed piece, block by block; throws for data that is none. */
  *push(packed: Uint8Array): Generator<Buffer> {
    let bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.length);
    if (this.#held.length > 0) bytes = Buffer.concat([this.#held, bytes]);
    this.#held = nothing;
    for (let at = 0; at < bytes.length;) {
      const used = this.#frame === null ? this.#beginFrame(bytes.subarray(at)) : this.#unpackBlock(bytes.subarray(at));
      if (used === 0) {
        this.#held = Buffer.from(bytes.subarray(at));
        return;
      }
      at += used;
      yield* this.#out.splice(0);
    }
  }

  /** Reads a frame's header; gives how many bytes it took, 0 = more are needed. */
  #beginFrame(bytes: Buffer): number {
    if (this.#skip > 0) {
      const used = Math.min(this.#skip, bytes.length);
      this.#skip -= used;
      return used;
    }
    if (bytes.length < 8) return 0;
    this.#begun = true;
    const magic = bytes.readUInt32LE(0);
    if (magic >>> 4 === 0x184d2a5) {
      this.#skip = bytes.readUInt32LE(4);
      return 8;
    }
    if (magic !== zstdMagic) throw new Error('not zstd data');
    const descriptor = bytes[4]!;
    const single = (descriptor >> 5) & 1;
    const sizeBytes = descriptor >> 6 === 0 ? single : 1 << (descriptor >> 6);
    const dictionaryBytes = [0, 1, 2, 4][descriptor & 3]!;
    const headerBytes = 6 - single + dictionaryBytes + sizeBytes;
    if (bytes.length < headerBytes) return 0;
    const window = single === 1 ? contentSize(bytes, headerBytes - sizeBytes, sizeBytes) : windowOf(bytes[5]!);
    if (window > this.#mostWindowBytes) throw new Error(`a window of ${window} bytes`);
    const unpacker = new Decompress((data) => {
      // The library uses its window again, so the piece is copied.
      if (data.length > 0) this.#out.push(Buffer.from(data));
    });
    const header = Buffer.from(bytes.subarray(0, headerBytes));
    this.#frame = { unpacker, header, sumBytes: ((descriptor >> 2) & 1) * 4 };
    return headerBytes;
  }

  /** Unpacks the next block; gives how many bytes it took, 0 = more are needed. */
  #unpackBlock(bytes: Buffer): number {
    if (bytes.length < 3) return 0;
    const frame = this.#frame!;
    const head = bytes.readUIntLE(0, 3);
    const isLast = (head & 1) === 1;
    const isRun = ((head >> 1) & 3) === 1;
    const size = head >> 3;
    if (size > mostBlockBytes) throw new Error(`a block of ${size} bytes`);
    const whole = 3 + (isRun ? 1 : size) + (isLast ? frame.sumBytes : 0);
    if (bytes.length < whole) return 0;
    const block = bytes.subarray(0, whole);
    frame.unpacker.push(frame.header.length > 0 ? Buffer.concat([frame.header, block]) : block, isLast);
    frame.header = nothing;
    if (isLast) this.#frame = null;
    return whole;
  }
}

function contentSize(bytes: Buffer, at: number, length: number): number {
  if (length === 8) return Number(bytes.readBigUInt64LE(at));
  return bytes.readUIntLE(at, length) + (length === 2 ? 256 : 0);
}

function windowOf(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}
