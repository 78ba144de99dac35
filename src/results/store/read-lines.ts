import { open } from 'node:fs/promises';
import { systemCode, telling } from './store-error.ts';

const newline = 0x0a;
const readBytes = 256 * 1024;

/** One line of a file. `text` is null where the line is longer than allowed; torn = the file ends without a newline. */
export interface FileLine {
  number: number;
  text: string | null;
  torn: boolean;
}

/** The lines of a file one by one, holding at most one line; a missing file has none. */
export async function* readLines(file: string, maxLineBytes: number): AsyncGenerator<FileLine> {
  let handle;
  try {
    handle = await open(file, 'r');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    return void (await telling(file, () => Promise.reject(error as Error)));
  }
  try {
    let pieces: Buffer[] = [];
    let bytes = 0;
    let number = 1;
    const take = (torn: boolean): FileLine => {
      const text = bytes > maxLineBytes ? null : Buffer.concat(pieces).toString('utf8');
      pieces = [];
      bytes = 0;
      return { number: number++, text, torn };
    };
    const keep = (piece: Buffer): void => {
      bytes += piece.length;
      if (bytes <= maxLineBytes) pieces.push(piece);
      else pieces = [];
    };
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(readBytes), 0, readBytes);
      if (bytesRead === 0) break;
      let from = 0;
      for (;;) {
        const at = buffer.subarray(0, bytesRead).indexOf(newline, from);
        keep(buffer.subarray(from, at < 0 ? bytesRead : at));
        if (at < 0) break;
        yield take(false);
        from = at + 1;
      }
    }
    if (bytes > 0) yield take(true);
  } finally {
    await handle.close();
  }
}
