import { UserError } from '../../core/index.ts';
import { lineTooLong } from './dataset-mistakes.ts';
import { brokenPack } from './layout-mistakes.ts';
import type { DataFile } from './file-bytes.ts';
import type { RawRecord } from './record.ts';
import { BrokenPack, readContent } from './unpack.ts';

/** Longer lines are refused, so that a file without line ends cannot fill the memory. */
export const maxLineMiB = 16;
const newline = 0x0a;

/** The lines of a file, in batches of about one MiB; a byte-order mark and CRLF are taken off. `onRaw` sees the bytes on disk. */
export async function* readLines(file: DataFile, onRaw?: (bytes: Buffer) => void): AsyncGenerator<RawLine[]> {
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
  try {
    for await (const chunk of readContent(file, onRaw)) {
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
  } catch (error) {
    throw error instanceof BrokenPack
      ? new UserError(brokenPack({ file: file.shown, line: number + 1 }, error.packing, error.truncated))
      : error;
  }
  if (restBytes > 0) yield [lineOf(Buffer.alloc(0))];
}

/** One line without its end, not yet decoded. */
export type RawLine = Extract<RawRecord, { bytes: Buffer }>;

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
