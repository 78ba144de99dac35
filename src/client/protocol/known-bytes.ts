/** Bytes that are met again and again, compared four at a time. */
export class KnownBytes {
  readonly #words: Uint32Array;

  constructor(private readonly bytes: Uint8Array) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#words = Uint32Array.from({ length: bytes.length >> 2 }, (_, i) => view.getUint32(i * 4, true));
  }

  /** Where the bytes behind them begin, if they stand at `at` among the first `length` of the buffer; -1 = they do not. */
  match(buffer: Uint8Array, at: number, length: number): number {
    const bytes = this.bytes;
    const words = this.#words;
    const end = at + bytes.length;
    if (end > length) return -1;
    const view = viewOf(buffer);
    for (let i = 0, from = at; i < words.length; i++, from += 4) {
      if (view.getUint32(from, true) !== words[i]) return -1;
    }
    for (let i = words.length * 4; i < bytes.length; i++) if (buffer[at + i] !== bytes[i]) return -1;
    return end;
  }
}

let lastBuffer: Uint8Array = new Uint8Array(0);
let lastView: DataView = new DataView(lastBuffer.buffer);

/** A view of a buffer's bytes; reads mostly come in the same one. */
function viewOf(buffer: Uint8Array): DataView {
  if (buffer !== lastBuffer) {
    lastBuffer = buffer;
    lastView = new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
  }
  return lastView;
}
