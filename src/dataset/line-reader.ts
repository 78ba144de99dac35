import { open } from 'node:fs/promises';
import { UserError } from '../core/index.ts';
import { fileChanged, lineTooLong, unreadable } from './dataset-mistakes.ts';

/** A plain file as it was when it was opened. */
export interface TextFile {
  path: string;
  /** The path as the user wrote it, for messages. */
  shown: string;
  bytes: number;
  inode: number;
}

/** One line without its end, not yet decoded. Numbers count from 1, blank lines included. */
export interface RawLine {
  number: number;
  bytes: Buffer;
}

const chunkBytes = 1024 * 1024;
/** Longer lines are refused, so that a file without line ends cannot fill the memory. */
const maxLineMiB = 64;
const newline = 0x0a;

/**
 * The lines of a file, in batches of about one MiB; a byte-order mark and CRLF are taken off. `onBytes` sees the content as it passes.
 * The file is open only while a batch is read, so a reader that is abandoned halfway holds nothing.
 */
export async function* readLines(file: TextFile, onBytes?: (bytes: Buffer) => void): AsyncGenerator<RawLine[]> {
  let number = 0;
  let rest: Buffer[] = [];
  let restBytes = 0;
  const lineOf = (last: Buffer): RawLine => {
    const bytes = rest.length === 0 ? last : Buffer.concat([...rest, last]);
    rest = [];
    restBytes = 0;
    number += 1;
    return { number, bytes: withoutMarks(bytes, number === 1) };
  };
  for (let position = 0; position < file.bytes;) {
    const chunk = await readAt(file, position, chunkBytes);
    position += chunk.length;
    onBytes?.(chunk);
    const lines: RawLine[] = [];
    let from = 0;
    for (let to = chunk.indexOf(newline); to !== -1; to = chunk.indexOf(newline, from)) {
      lines.push(lineOf(chunk.subarray(from, to)));
      from = to + 1;
    }
    if (from < chunk.length) {
      rest.push(chunk.subarray(from));
      restBytes += chunk.length - from;
    }
    if (restBytes > maxLineMiB * 1024 * 1024) {
      throw new UserError(lineTooLong({ file: file.shown, line: number + 1 }, maxLineMiB));
    }
    if (lines.length > 0) yield lines;
  }
  if (restBytes > 0) yield [lineOf(Buffer.alloc(0))];
}

/** Up to `length` bytes from `position` on; a file that is no longer the one opened is the user's mistake. */
export async function readAt(file: TextFile, position: number, length: number): Promise<Buffer> {
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

/** Nothing but ASCII white space: such a line holds no prompt in any format. */
export function isBlank(line: Buffer): boolean {
  for (const byte of line) if (byte !== 0x20 && (byte < 0x09 || byte > 0x0d)) return false;
  return true;
}

function withoutMarks(line: Buffer, first: boolean): Buffer {
  const from = first && line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? 3 : 0;
  const to = line.at(-1) === 0x0d ? line.length - 1 : line.length;
  return line.subarray(from, Math.max(from, to));
}
