import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { UserError } from '../core/index.ts';
import { fileNotFound, noPrompts, notAFile, packed, unreadable } from './dataset-mistakes.ts';
import { isBlank, readAt, readLines, systemCodeOf } from './line-reader.ts';
import type { TextFile } from './line-reader.ts';

const mebi = 1024 * 1024;
/** Files up to this size are hashed and counted whole when opened; larger ones would delay the first request. */
const countedWholeBytes = 256 * mebi;
const partHashedBytes = 16 * mebi;

/** First bytes of formats that people take for text files. */
const packedFormats = [
  { name: 'gzip', magic: [0x1f, 0x8b] },
  { name: 'zstd', magic: [0x28, 0xb5, 0x2f, 0xfd] },
  { name: 'zip', magic: [0x50, 0x4b, 0x03, 0x04] },
  { name: 'Parquet', magic: [0x50, 0x41, 0x52, 0x31] },
  { name: 'UTF-16', magic: [0xff, 0xfe] },
  { name: 'UTF-16', magic: [0xfe, 0xff] },
] as const;

/** The file at a path, if it is a plain one that may hold text; a UserError otherwise. */
export async function openTextFile(path: string): Promise<TextFile> {
  let found;
  try {
    found = await stat(path);
  } catch (error) {
    const code = systemCodeOf(error);
    const missing = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'].includes(code);
    throw new UserError(missing ? fileNotFound(path) : unreadable(path, code));
  }
  if (found.isDirectory()) throw new UserError(notAFile(path, 'folder'));
  if (!found.isFile()) throw new UserError(notAFile(path, 'special'));
  if (found.size === 0) throw new UserError(noPrompts(path));
  const file = { path, shown: path, bytes: found.size, inode: found.ino };
  const head = await readAt(file, 0, 4);
  const format = packedFormats.find(({ magic }) => magic.every((byte, i) => head[i] === byte));
  if (format !== undefined) throw new UserError(packed(path, format.name));
  return file;
}

/** What is known of a file's content without reading all of a very large one. */
export interface Scan {
  /** Plain hex for the whole content; `partial-sha256:` + hex of size, first and last 16 MiB for a very large file. */
  hash: string;
  /** Lines that are not blank; null = not counted. */
  items: number | null;
}

/** Hashes and counts a file in one pass, or the ends of one above `wholeBytes`. */
export async function scan(file: TextFile, wholeBytes: number = countedWholeBytes): Promise<Scan> {
  const hash = createHash('sha256');
  if (file.bytes > wholeBytes) {
    hash.update(`${file.bytes}\n`);
    hash.update(await readAt(file, 0, partHashedBytes));
    hash.update(await readAt(file, Math.max(0, file.bytes - partHashedBytes), partHashedBytes));
    return { hash: `partial-sha256:${hash.digest('hex')}`, items: null };
  }
  let items = 0;
  for await (const lines of readLines(file, (bytes) => hash.update(bytes))) {
    for (const line of lines) if (!isBlank(line.bytes)) items += 1;
  }
  if (items === 0) throw new UserError(noPrompts(file.shown));
  return { hash: hash.digest('hex'), items };
}

/** The first line that is not blank, decoded loosely and cut, for guessing what a file is; null = none in its first MiB. */
export async function firstWords(file: TextFile): Promise<string | null> {
  const head = (await readAt(file, 0, mebi)).toString('utf8').replace(/^\uFEFF/, '');
  return head.split('\n').find((line) => line.trim() !== '') ?? null;
}
