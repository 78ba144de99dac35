import { readArrow } from './arrow-rows.ts';
import type { DataFile } from './file-bytes.ts';
import { readArray } from './json-array.ts';
import { readCsv } from './csv-rows.ts';
import { isBlank, readLines } from './line-reader.ts';
import { readParquet } from './parquet-rows.ts';

/**
 * One record of a file: its bytes, not yet decoded (a line, or an element of a JSON array), or its columns.
 * Numbers count from 1: lines for text (of an array: the line its element begins on), rows for Parquet and Arrow.
 */
export type RawRecord =
  | {
      number: number;
      bytes: Buffer;
      /** Of an array: how many elements before it begin on the same line; absent = none. */
      after?: number;
    }
  | { number: number; value: Readonly<Record<string, unknown>> };

/** The records of a file in batches, blank lines left out. `onRaw` sees the bytes on disk, where the layout reads them in order. */
export async function* readRecords(file: DataFile, onRaw?: (bytes: Buffer) => void): AsyncGenerator<RawRecord[]> {
  if (file.layout === 'array') yield* readArray(file, onRaw);
  else if (file.layout === 'csv') yield* readCsv(file, onRaw);
  else if (file.layout === 'parquet') yield* readParquet(file);
  else if (file.layout === 'arrow') yield* readArrow(file.path);
  else {
    for await (const lines of readLines(file, onRaw)) {
      const held = lines.filter((line) => !isBlank(line.bytes));
      if (held.length > 0) yield held;
    }
  }
}
