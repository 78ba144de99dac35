import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { UserError } from '../../core/index.ts';
import { readAt } from './file-bytes.ts';
import type { DataFile } from './file-bytes.ts';
import { arrowBroken } from './layout-mistakes.ts';
import { fieldOf } from './record-format.ts';
import type { RawRecord } from './record.ts';

type Part = Pick<DataFile, 'path' | 'shown' | 'bytes' | 'inode'>;

/** Messages of an Arrow stream that are kept for every batch after them. */
const schemaHeader = 1;
const dictionaryHeader = 2;
const batchHeader = 3;
const endOfStream = new Uint8Array([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]);
/** A batch is held whole; larger ones are refused. */
const maxMessageBytes = 1024 * 1024 * 1024;

/** The files of a folder that Hugging Face `datasets` wrote with save_to_disk, in their order; null = it is none. */
export async function arrowParts(folder: string): Promise<Part[] | null> {
  let state: unknown;
  try {
    state = JSON.parse(await readFile(join(folder, 'state.json'), 'utf8'));
  } catch {
    return null;
  }
  const listed = fieldOf(state, '_data_files');
  if (!Array.isArray(listed)) return null;
  const parts: Part[] = [];
  for (const entry of listed as unknown[]) {
    const name = fieldOf(entry, 'filename');
    // The list is a stranger's: it may not lead out of the folder.
    if (typeof name !== 'string' || basename(name) !== name) return null;
    const path = join(folder, name);
    const found = await stat(path).catch(() => null);
    if (found === null || !found.isFile()) throw new UserError(arrowBroken(path, 'the file is not there'));
    parts.push({ path, shown: path, bytes: found.size, inode: found.ino });
  }
  return parts.length === 0 ? null : parts;
}

/** The rows of all files, batch by batch. */
export async function* readArrow(folder: string): AsyncGenerator<RawRecord[]> {
  const { tableFromIPC } = await import('@uwdata/flechette');
  let number = 0;
  for (const part of (await arrowParts(folder)) ?? []) {
    let before: Uint8Array[] = [];
    for await (const { header, bytes } of messages(part)) {
      if (header === schemaHeader) before = [bytes];
      else if (header === dictionaryHeader) before.push(bytes);
      else if (header === batchHeader) {
        const rows = rowsOf(part, () => tableFromIPC(Buffer.concat([...before, bytes, endOfStream])).toArray());
        yield rows.map((value): RawRecord => ({ number: (number += 1), value }));
      }
    }
  }
}

function rowsOf(part: Part, read: () => unknown[]): Record<string, unknown>[] {
  try {
    return read() as Record<string, unknown>[];
  } catch (error) {
    throw new UserError(arrowBroken(part.shown, error instanceof Error ? error.message : String(error)));
  }
}

/** The messages of one stream, each whole: marker, length, metadata, body (Arrow columnar format, "Encapsulated message format"). */
async function* messages(part: Part): AsyncGenerator<{ header: number; bytes: Uint8Array }> {
  for (let at = 0; at + 8 <= part.bytes;) {
    const prefix = await readAt(part, at, 8);
    const metaBytes = prefix.readInt32LE(4);
    if (prefix.readUInt32LE(0) !== 0xffffffff)
      throw new UserError(arrowBroken(part.shown, 'no message where one should begin'));
    if (metaBytes === 0) return;
    if (metaBytes < 0 || at + 8 + metaBytes > part.bytes) throw new UserError(arrowBroken(part.shown, 'cut off'));
    const meta = await readAt(part, at + 8, metaBytes);
    const { header, bodyBytes } = messageOf(meta);
    const whole = 8 + metaBytes + bodyBytes;
    if (!(whole <= maxMessageBytes) || at + whole > part.bytes) throw new UserError(arrowBroken(part.shown, 'cut off'));
    yield { header, bytes: await readAt(part, at, whole) };
    at += whole;
  }
}

/** Kind and body length of a message: fields 1 and 3 of its flatbuffer table. */
function messageOf(meta: Buffer): { header: number; bodyBytes: number } {
  const view = new DataView(meta.buffer, meta.byteOffset, meta.length);
  try {
    const table = view.getUint32(0, true);
    const fields = table - view.getInt32(table, true);
    const size = view.getUint16(fields, true);
    const place = (field: number): number => {
      const entry = 4 + 2 * field;
      return entry < size ? view.getUint16(fields + entry, true) : 0;
    };
    const [header, body] = [place(1), place(3)];
    return {
      header: header === 0 ? 0 : view.getUint8(table + header),
      bodyBytes: body === 0 ? 0 : Number(view.getBigInt64(table + body, true)),
    };
  } catch {
    return { header: 0, bodyBytes: Number.NaN };
  }
}
