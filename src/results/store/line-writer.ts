import { open } from 'node:fs/promises';
import { storeModes } from './store-modes.ts';
import { syncFile } from './sync-file.ts';
import { storeError, telling } from './store-error.ts';

/** Longest time that a finished line stays in memory. */
export const flushEveryMs = 250;
const batchBytes = 1 << 20;
/** UTF-8 bytes that one UTF-16 unit can need. */
const bytesPerUnit = 3;
const LF = 10;

/** Appends lines to a file in batches. A failed write is told by the next call, and by close at the latest. */
export interface LineWriter {
  /** Done at once, unless a lot is waiting to be written: then what is given back settles when it is. */
  append(line: string | Uint8Array): Promise<void> | null;
  /** Resolves when every line appended so far has been written. */
  written(): Promise<void>;
  /** Writes what is left, syncs and closes. */
  close(): Promise<void>;
}

/** Opens a new file for appending; it must not exist yet (unless `flags` say otherwise). */
export async function openLineWriter(file: string, flags: 'ax' | 'a' = 'ax'): Promise<LineWriter> {
  const handle = await telling(file, () => open(file, flags, storeModes().file));
  // Lines wait as bytes, not as strings: what a collector never sees cannot make it pause the run.
  let batch: Buffer | null = null;
  let spare: Buffer | null = null;
  let filled = 0;
  let writing: Promise<void> = Promise.resolve();
  let failure: unknown = null;
  let timer: NodeJS.Timeout | null = null;

  const flush = (): Promise<void> => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (batch === null || filled === 0) return writing;
    const full = batch;
    const bytes = full.subarray(0, filled);
    batch = spare;
    spare = null;
    filled = 0;
    writing = writing.then(async () => {
      if (failure !== null) return;
      try {
        await handle.appendFile(bytes);
      } catch (error) {
        failure = storeError(error, file);
      }
      // The room that one very long line took is not kept.
      if (full.length === batchBytes) spare = full;
    });
    return writing;
  };

  const tell = (): void => {
    if (failure !== null) throw failure;
  };

  return {
    append(line) {
      tell();
      const most = roomFor(line);
      let written: Promise<void> | null = null;
      if (batch !== null && filled + most > batch.length) written = flush().then(tell);
      if (batch === null || most > batch.length) batch = Buffer.allocUnsafeSlow(Math.max(batchBytes, most));
      if (typeof line === 'string') filled += batch.write(line, filled);
      else {
        batch.set(line, filled);
        filled += line.length;
      }
      batch[filled++] = LF;
      timer ??= setTimeout(() => void flush(), flushEveryMs);
      return written;
    },
    async written() {
      await flush();
      tell();
    },
    async close() {
      await flush();
      try {
        if (failure === null) await telling(file, () => syncFile(handle));
      } finally {
        await handle.close();
      }
      tell();
    },
  };
}

/** Bytes that a line and its newline need at most; counted exactly only where it is very long. */
function roomFor(line: string | Uint8Array): number {
  if (typeof line !== 'string') return line.length + 1;
  const longest = line.length * bytesPerUnit + 1;
  return longest > batchBytes ? Buffer.byteLength(line) + 1 : longest;
}
