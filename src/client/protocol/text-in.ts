let lastBytes: Uint8Array = new Uint8Array(0);
let lastBuffer = Buffer.from(lastBytes.buffer);

/** The text of bytes `from` to `to`, UTF-8; reads mostly come in the same array, and no view of it is made for each piece. */
export function textIn(bytes: Uint8Array, from: number, to: number): string {
  if (bytes !== lastBytes) {
    lastBytes = bytes;
    lastBuffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }
  return lastBuffer.toString('utf8', from, to);
}
