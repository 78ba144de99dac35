/** HTTP/2 on the wire (RFC 9113), written from the standard so that a test's server can say what no library would. */

export const frameType = {
  data: 0,
  headers: 1,
  priority: 2,
  rst: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goaway: 7,
  window: 8,
  continuation: 9,
} as const;
export const flag = { ack: 1, endStream: 1, endHeaders: 4 } as const;
export const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const frameHeadBytes = 9;
/** What a peer takes in one frame until it says otherwise. */
const mostInFrame = 16_384;

export interface Frame {
  type: number;
  flags: number;
  stream: number;
  payload: Buffer;
}

export function frame(type: number, flags: number, stream: number, payload: Buffer | string = ''): Buffer {
  const body = Buffer.from(payload);
  const head = Buffer.alloc(frameHeadBytes);
  head.writeUIntBE(body.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, body]);
}

const uint32 = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, i) => bytes.writeUInt32BE(value >>> 0, 4 * i));
  return bytes;
};

/** A length of HPACK: seven bits, then groups of seven. */
function hpackLength(length: number): Buffer {
  if (length < 127) return Buffer.from([length]);
  const bytes = [127];
  let left = length - 127;
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) + 128);
  return Buffer.from([...bytes, left]);
}

/** A header block in which every field is a literal, without index and without Huffman. */
export function headerBlock(fields: readonly (readonly [string, string])[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([name, value]) => [
      Buffer.from([0]),
      hpackLength(Buffer.byteLength(name)),
      Buffer.from(name),
      hpackLength(Buffer.byteLength(value)),
      Buffer.from(value),
    ]),
  );
}

/** A head of any length: HEADERS, and CONTINUATION where one frame does not hold it. */
export function headersFrames(
  stream: number,
  fields: readonly (readonly [string, string])[],
  endStream = false,
): Buffer {
  const block = headerBlock(fields);
  const pieces: Buffer[] = [];
  for (let at = 0; at === 0 || at < block.length; at += mostInFrame) pieces.push(block.subarray(at, at + mostInFrame));
  return Buffer.concat(
    pieces.map((piece, i) =>
      frame(
        i === 0 ? frameType.headers : frameType.continuation,
        (i === pieces.length - 1 ? flag.endHeaders : 0) | (i === 0 && endStream ? flag.endStream : 0),
        stream,
        piece,
      ),
    ),
  );
}

/** Bytes of a body in as many DATA frames as they need. */
export function dataFrames(stream: number, body: Buffer | string, endStream: boolean): Buffer {
  const bytes = Buffer.from(body);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += mostInFrame) {
    const last = at + mostInFrame >= bytes.length;
    pieces.push(
      frame(frameType.data, last && endStream ? flag.endStream : 0, stream, bytes.subarray(at, at + mostInFrame)),
    );
  }
  if (bytes.length === 0 && endStream) pieces.push(frame(frameType.data, flag.endStream, stream));
  return Buffer.concat(pieces);
}

export const settingsFrame = (settings: readonly (readonly [id: number, value: number])[] = []): Buffer =>
  frame(
    frameType.settings,
    0,
    0,
    Buffer.concat(
      settings.map(([id, value]) => {
        const entry = Buffer.alloc(6);
        entry.writeUInt16BE(id, 0);
        entry.writeUInt32BE(value, 2);
        return entry;
      }),
    ),
  );
export const rstFrame = (stream: number, code: number): Buffer => frame(frameType.rst, 0, stream, uint32(code));
export const goawayFrame = (lastStream: number, code: number): Buffer =>
  frame(frameType.goaway, 0, 0, uint32(lastStream, code));
export const windowFrame = (stream: number, bytes: number): Buffer => frame(frameType.window, 0, stream, uint32(bytes));
export const pingFrame = (ack = false, payload: Buffer = Buffer.alloc(8)): Buffer =>
  frame(frameType.ping, ack ? flag.ack : 0, 0, payload);

/** Cuts what a peer says into frames. */
export class FrameReader {
  #bytes = Buffer.alloc(0);
  #begun = false;

  push(bytes: Buffer): Frame[] {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    const frames: Frame[] = [];
    if (!this.#begun) {
      if (this.#bytes.length < preface.length) return frames;
      this.#begun = true;
      this.#bytes = this.#bytes.subarray(preface.length);
    }
    while (this.#bytes.length >= frameHeadBytes) {
      const end = frameHeadBytes + this.#bytes.readUIntBE(0, 3);
      if (this.#bytes.length < end) break;
      frames.push({
        type: this.#bytes[3]!,
        flags: this.#bytes[4]!,
        stream: this.#bytes.readUInt32BE(5) & 0x7fffffff,
        payload: this.#bytes.subarray(frameHeadBytes, end),
      });
      this.#bytes = this.#bytes.subarray(end);
    }
    return frames;
  }
}
