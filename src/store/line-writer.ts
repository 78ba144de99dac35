import { open } from 'node:fs/promises';
import { storeError, telling } from './store-error.ts';

/** Longest time that a finished line stays in memory. */
export const flushEveryMs = 250;
const flushAtChars = 1 << 20;

/** Appends lines to a file in batches. A failed write is told by the next call, and by close at the latest. */
export interface LineWriter {
  /** Resolves at once unless a lot is waiting to be written. */
  append(line: string): Promise<void>;
  /** Writes what is left, syncs and closes. */
  close(): Promise<void>;
}

/** Opens a new file for appending; it must not exist yet (unless `flags` say otherwise). */
export async function openLineWriter(file: string, flags: 'ax' | 'a' = 'ax'): Promise<LineWriter> {
  const handle = await telling(file, () => open(file, flags));
  let waiting: string[] = [];
  let waitingChars = 0;
  let writing: Promise<void> = Promise.resolve();
  let failure: unknown = null;
  let timer: NodeJS.Timeout | null = null;

  const flush = (): Promise<void> => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const batch = waiting.join('');
    waiting = [];
    waitingChars = 0;
    writing = writing.then(async () => {
      if (batch === '' || failure !== null) return;
      try {
        await handle.appendFile(batch);
      } catch (error) {
        failure = storeError(error, file);
      }
    });
    return writing;
  };

  const tell = (): void => {
    if (failure !== null) throw failure;
  };

  return {
    async append(line) {
      tell();
      waiting.push(line, '\n');
      waitingChars += line.length + 1;
      if (waitingChars >= flushAtChars) {
        await flush();
        tell();
      } else timer ??= setTimeout(() => void flush(), flushEveryMs);
    },
    async close() {
      await flush();
      try {
        if (failure === null) await telling(file, () => handle.sync());
      } finally {
        await handle.close();
      }
      tell();
    },
  };
}
