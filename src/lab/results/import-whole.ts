import { readFile } from 'node:fs/promises';
import { getHeapStatistics } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { handedOver, importCsv, importJson, importSqlite } from '../../tools/index.ts';
import type { DraftFile, FormatName, Imported } from '../../tools/index.ts';

/** A document that has to be read whole. */
export interface WholeFile {
  file: string;
  kind: 'csv' | 'json' | 'sqlite';
  format: FormatName;
}

/** Smaller documents take less than a thread takes to begin. */
const apartFromBytes = 256 * 1024;
const mostHeapMiB = 2048;
/** Of what this process may hold itself, so that both fit where memory is short. */
const heapShare = 0.4;
const mostYoungMiB = 16;

/** Reads a document as the import room does, a large one in a thread of its own. */
export function importDocument(whole: WholeFile, bytes: number): Promise<DraftFile | Imported> {
  return bytes < apartFromBytes ? importWhole(whole) : importApart(whole);
}

/** Reads a document in this thread. */
export async function importWhole({ file, kind, format }: WholeFile): Promise<DraftFile | Imported> {
  const bytes = await readFile(file);
  if (kind === 'sqlite') return importSqlite(bytes, file);
  const text = bytes.toString('utf8');
  return kind === 'csv' ? importCsv(text, file, format) : importJson(text, file, format);
}

function importApart(whole: WholeFile): Promise<DraftFile | Imported> {
  const heapMiB = Math.min(mostHeapMiB, Math.floor((heapShare * getHeapStatistics().heap_size_limit) / 1024 / 1024));
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL('../lib/import-thread.js', import.meta.url), {
      workerData: whole,
      resourceLimits: { maxOldGenerationSizeMb: heapMiB, maxYoungGenerationSizeMb: mostYoungMiB },
    });
    thread.once('message', (read: DraftFile | Imported) => {
      void thread.terminate();
      resolve('drafts' in read ? handedOver(read) : read);
    });
    thread.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') resolve(tooMuch(whole.file, heapMiB));
      else reject(error);
    });
  });
}

function tooMuch(file: string, heapMiB: number): Imported {
  const message = `stands for more than ${heapMiB} MiB of values: not a result file`;
  const zh = `展开后超过 ${heapMiB} MiB，不是结果文件`;
  return { sweeps: [], problems: [{ file, line: 0, message, zh }] };
}
