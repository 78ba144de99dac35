import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { UserError } from '../../core/index.ts';
import { parquetBroken } from './layout-mistakes.ts';
import { readAt } from './file-bytes.ts';
import type { DataFile } from './file-bytes.ts';
import type { RawRecord } from './record.ts';
import { unzstdWhole } from './zstd.ts';

/** Larger pages are refused; writers make them of about one MiB. */
const mostPageBytes = 64 * 1024 * 1024;
/** A group is held whole; writers make groups of up to a million rows. */
const mostGroupRows = 4_000_000;

function pageLimit(claimed: number): number {
  return Math.max(1, Math.min(claimed, mostPageBytes));
}

/** The rows of a Parquet file as objects, a row group at a time. */
export async function* readParquet(file: DataFile): AsyncGenerator<RawRecord[]> {
  const { parquetMetadataAsync, parquetReadObjects } = await import('hyparquet');
  const source = bufferOf(file);
  const metadata = await telling(file, () => parquetMetadataAsync(source));
  const limit = (claimed: number): { maxOutputLength: number } => ({ maxOutputLength: pageLimit(claimed) });
  const compressors = {
    GZIP: (input: Uint8Array, claimed: number) => new Uint8Array(gunzipSync(input, limit(claimed))),
    BROTLI: (input: Uint8Array, claimed: number) => new Uint8Array(brotliDecompressSync(input, limit(claimed))),
    ZSTD: (input: Uint8Array, claimed: number) => unzstdWhole(input, pageLimit(claimed)),
  };
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    const rows = Number(group.num_rows);
    if (!(rows <= mostGroupRows))
      throw new UserError(parquetBroken(file.shown, `a row group of ${rows} rows, more than ${mostGroupRows}`));
    const rowEnd = rowStart + rows;
    const range = { rowStart, rowEnd };
    const read = await telling(file, () => parquetReadObjects({ file: source, metadata, compressors, ...range }));
    yield read.map((value, i) => ({ number: range.rowStart + i + 1, value: value as Record<string, unknown> }));
    rowStart = rowEnd;
  }
}

/** Rows of a Parquet file, from its footer. */
export async function parquetRowCount(file: DataFile): Promise<number> {
  const { parquetMetadataAsync } = await import('hyparquet');
  const metadata = await telling(file, () => parquetMetadataAsync(bufferOf(file)));
  return Number(metadata.num_rows);
}

function bufferOf(file: DataFile): { byteLength: number; slice(start: number, end?: number): Promise<ArrayBuffer> } {
  return {
    byteLength: file.bytes,
    async slice(start, end = file.bytes) {
      const bytes = await readAt(file, start, end - start);
      return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
    },
  };
}

async function telling<T>(file: DataFile, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(parquetBroken(file.shown, error instanceof Error ? error.message : String(error)));
  }
}
