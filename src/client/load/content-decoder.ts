import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import type { BrotliDecompress, Inflate } from 'node:zlib';
import { ZstdStream } from '../../inputs/dataset/index.ts';

/** Who is told what came out, and at which time the bytes were read that it came out of. */
export interface DecodedClient {
  decoded(bytes: Uint8Array, atMs: number): void;
  /** The bytes are not what the head of the answer said; nothing more is told. */
  undecodable(words: string): void;
}

/** Unpacks one answer, read by read. */
export interface ContentDecoder {
  /** Bytes, only borrowed, that were read at a time. */
  push(bytes: Uint8Array, atMs: number): void;
  /** The body has ended: calls back once everything before has been told. */
  end(then: () => void): void;
  /** Nothing more is told. */
  close(): void;
  /** Bytes that wait to be unpacked. */
  readonly heldBytes: number;
}

/** The codings that are understood, by their names in Content-Encoding. */
const codings: Readonly<Record<string, (client: DecodedClient) => ContentDecoder>> = {
  gzip: (client) => new ZlibDecoder(client, () => createGunzip()),
  'x-gzip': (client) => new ZlibDecoder(client, () => createGunzip()),
  // The standard means zlib's format; some servers send the bare one.
  deflate: (client) => new ZlibDecoder(client, (first) => ((first & 15) === 8 ? createInflate() : createInflateRaw())),
  br: (client) => new ZlibDecoder(client, () => createBrotliDecompress()),
  zstd: (client) => new ZstdDecoder(client),
};

/** The decoder for a Content-Encoding; null = it is one that nobody here understands. */
export function contentDecoder(coding: string, client: DecodedClient): ContentDecoder | null {
  // A server may name an encoding that every object has as a member, such as `constructor`.
  return Object.hasOwn(codings, coding) ? codings[coding]!(client) : null;
}

/** Unpacking happens in Node's threads: one read at a time, so that what comes out is known to be of that read. */
class ZlibDecoder implements ContentDecoder {
  #unpacker: Inflate | BrotliDecompress | null = null;
  #client: DecodedClient | null;
  readonly #waiting: { bytes: Uint8Array; atMs: number }[] = [];
  #atMs = 0;
  #isBusy = false;
  #then: (() => void) | null = null;
  heldBytes = 0;

  constructor(
    client: DecodedClient,
    private readonly open: (firstByte: number) => Inflate | BrotliDecompress,
  ) {
    this.#client = client;
  }

  push(bytes: Uint8Array, atMs: number): void {
    if (bytes.length === 0) return;
    // A Buffer's slice would be no copy.
    this.#waiting.push({ bytes: new Uint8Array(bytes), atMs });
    this.heldBytes += bytes.length;
    this.#next();
  }

  end(then: () => void): void {
    this.#then = then;
    this.#next();
  }

  close(): void {
    this.#client = null;
    this.#waiting.length = 0;
    this.heldBytes = 0;
    this.#unpacker?.destroy();
  }

  #next(): void {
    if (this.#isBusy || this.#client === null) return;
    const next = this.#waiting.shift();
    if (next === undefined) return this.#finish();
    const unpacker = (this.#unpacker ??= this.#begin(next.bytes[0]!));
    this.#isBusy = true;
    this.#atMs = next.atMs;
    unpacker.write(next.bytes, () => {
      this.#isBusy = false;
      this.heldBytes -= next.bytes.length;
      this.#drain();
      this.#next();
    });
  }

  #begin(firstByte: number): Inflate | BrotliDecompress {
    const unpacker = this.open(firstByte);
    // Each unpacked piece is handed on at once, because a small read can unpack to more than memory holds.
    unpacker.on('readable', () => this.#drain());
    unpacker.on('error', (error) => {
      const client = this.#client;
      this.close();
      client?.undecodable(error.message);
    });
    return unpacker;
  }

  #drain(): void {
    while (this.#client !== null) {
      const bytes = this.#unpacker?.read() as Uint8Array | null;
      if (bytes === null) return;
      this.#client.decoded(bytes, this.#atMs);
    }
  }

  #finish(): void {
    const then = this.#then;
    if (then === null) return;
    this.#then = null;
    if (this.#unpacker === null) return then();
    // Whether the packed answer was whole is known only now: where it was not, an error is told.
    this.#unpacker.on('end', () => {
      if (this.#client !== null) then();
    });
    this.#unpacker.end();
  }
}

/** No answer may ask for a larger window (RFC 9659). */
const zstdWindowBytes = 8 * 1024 * 1024;

class ZstdDecoder implements ContentDecoder {
  #client: DecodedClient | null;
  #isEmpty = true;
  readonly heldBytes = 0;
  readonly #stream = new ZstdStream(zstdWindowBytes);

  constructor(client: DecodedClient) {
    this.#client = client;
  }

  push(bytes: Uint8Array, atMs: number): void {
    this.#isEmpty &&= bytes.length === 0;
    if (this.#client === null) return;
    try {
      for (const piece of this.#stream.push(bytes)) {
        this.#client.decoded(piece, atMs);
        // A few bytes may unpack to gigabytes: whoever has given up stops that here.
        if (this.#isClosed) return;
      }
    } catch (error) {
      this.#fail((error as Error).message);
    }
  }

  end(then: () => void): void {
    if (this.#client !== null && !this.#isEmpty && !this.#stream.ended) this.#fail('unexpected end of file');
    if (this.#client !== null) then();
  }

  close(): void {
    this.#client = null;
  }

  get #isClosed(): boolean {
    return this.#client === null;
  }

  #fail(words: string): void {
    const client = this.#client;
    this.#client = null;
    client?.undecodable(words);
  }
}
