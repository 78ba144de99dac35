import { decompress, Decompress } from 'fzstd';

/** Unpacks zstd data in one go. */
export function unzstdWhole(packed: Uint8Array): Uint8Array {
  return decompress(packed);
}

/** Unpacks a zstd stream piece by piece. */
export class ZstdStream {
  /** The end of the last frame was seen. */
  ended = false;
  #out: Buffer[] = [];
  readonly #unpacker = new Decompress((data, final) => {
    // The library uses its window again, so the piece is copied.
    if (data.length > 0) this.#out.push(Buffer.from(data));
    if (final === true) this.ended = true;
  });

  /** What came out of one more packed piece; throws the library's words for data that is none. */
  push(packed: Uint8Array, final: boolean): Buffer {
    this.#unpacker.push(packed, final);
    const out = this.#out.length === 1 ? this.#out[0]! : Buffer.concat(this.#out);
    this.#out = [];
    return out;
  }
}
