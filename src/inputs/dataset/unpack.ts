import { createGunzip } from 'node:zlib';
import { Readable } from 'node:stream';
import { UserError } from '../../core/index.ts';
import { readAt } from './file-bytes.ts';
import type { DataFile } from './file-bytes.ts';
import { ZstdStream } from './zstd.ts';

/** How a file's bytes are packed. */
export type Packing = 'none' | 'gzip' | 'zstd';

/** Packed data that cannot be unpacked to its end; whoever counts lines adds where. */
export class BrokenPack extends Error {
  override name = 'BrokenPack';
  readonly packing: Packing;
  readonly truncated: boolean;

  constructor(packing: Packing, truncated: boolean, words: string) {
    super(words);
    this.packing = packing;
    this.truncated = truncated;
  }
}

const chunkBytes = 1024 * 1024;

/**
 * The content of a file in pieces of about one MiB, unpacked. The file is open only while a piece is read, so a reader
 * that is abandoned halfway holds nothing open. `onRaw` sees the bytes as they lie on disk.
 */
export async function* readContent(file: DataFile, onRaw?: (bytes: Buffer) => void): AsyncGenerator<Buffer> {
  if (file.packing === 'gzip') yield* gunzipped(file, onRaw);
  else if (file.packing === 'zstd') yield* unzstd(file, onRaw);
  else yield* rawBytes(file, onRaw);
}

async function* rawBytes(file: DataFile, onRaw?: (bytes: Buffer) => void): AsyncGenerator<Buffer> {
  for (let position = 0; position < file.bytes;) {
    const chunk = await readAt(file, position, chunkBytes);
    position += chunk.length;
    onRaw?.(chunk);
    yield chunk;
  }
}

async function* gunzipped(file: DataFile, onRaw?: (bytes: Buffer) => void): AsyncGenerator<Buffer> {
  const source = Readable.from(rawBytes(file, onRaw), { objectMode: false, highWaterMark: chunkBytes });
  const unpacker = createGunzip({ chunkSize: chunkBytes });
  source.on('error', (error) => unpacker.destroy(error));
  try {
    for await (const piece of source.pipe(unpacker)) yield piece as Buffer;
  } catch (error) {
    if (error instanceof UserError) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw new BrokenPack('gzip', code === 'Z_BUF_ERROR', code);
  } finally {
    source.destroy();
    unpacker.destroy();
  }
}

async function* unzstd(file: DataFile, onRaw?: (bytes: Buffer) => void): AsyncGenerator<Buffer> {
  const stream = new ZstdStream();
  try {
    for await (const raw of rawBytes(file, onRaw)) yield* stream.push(raw);
  } catch (error) {
    if (error instanceof UserError) throw error;
    const words = error instanceof Error ? error.message : String(error);
    throw new BrokenPack('zstd', /EOF/i.test(words), words);
  }
  if (!stream.ended) throw new BrokenPack('zstd', true, 'no end of frame');
}
