import { open } from 'node:fs/promises';
import { UserError } from '../../core/index.ts';
import { fileChanged, unreadable } from './dataset-mistakes.ts';
import type { Packing } from './unpack.ts';

/** How records lie in a file: one per line, elements of one JSON array, rows of CSV, Parquet, or a folder of Arrow files. */
export type Layout = 'lines' | 'array' | 'csv' | 'parquet' | 'arrow';

/** A plain file as it was when it was opened. */
export interface DataFile {
  path: string;
  /** The path as the user wrote it, for messages. */
  shown: string;
  bytes: number;
  inode: number;
  packing: Packing;
  layout: Layout;
}

/** Up to `length` bytes from `position` on; a file that is no longer the one opened is the user's mistake. */
export async function readAt(
  file: Pick<DataFile, 'path' | 'shown' | 'bytes' | 'inode'>,
  position: number,
  length: number,
): Promise<Buffer> {
  const wanted = Math.min(length, file.bytes - position);
  const bytes = Buffer.allocUnsafe(wanted);
  let filled = 0;
  try {
    const handle = await open(file.path, 'r');
    try {
      const { size, ino } = await handle.stat();
      if (size !== file.bytes || ino !== file.inode) throw new UserError(fileChanged(file.shown));
      while (filled < wanted) {
        const { bytesRead } = await handle.read(bytes, filled, wanted - filled, position + filled);
        if (bytesRead === 0) throw new UserError(fileChanged(file.shown));
        filled += bytesRead;
      }
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw error instanceof UserError ? error : new UserError(unreadable(file.shown, systemCodeOf(error)));
  }
  return bytes;
}

/** `EACCES` and the like; anything else as text. */
export function systemCodeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
