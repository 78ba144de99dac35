import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { jsonIn, membersOf, UserError } from '../../core/index.ts';
import { arrowParts } from './arrow-rows.ts';
import { fileNotFound, noPrompts, notAFile, packed, unreadable } from './dataset-mistakes.ts';
import { readAt, systemCodeOf } from './file-bytes.ts';
import type { DataFile, Layout } from './file-bytes.ts';
import { parquetRowCount } from './parquet-rows.ts';
import { readRecords } from './record.ts';
import { BrokenPack, readContent } from './unpack.ts';
import type { Packing } from './unpack.ts';

const mebi = 1024 * 1024;
/** Files up to this size are hashed and counted whole when opened; larger ones would delay the first request. */
const countedWholeBytes = 128 * mebi;
const partHashedBytes = 16 * mebi;

const magics = [
  { name: 'gzip', magic: [0x1f, 0x8b], reads: 'gzip' },
  { name: 'zstd', magic: [0x28, 0xb5, 0x2f, 0xfd], reads: 'zstd' },
  { name: 'Parquet', magic: [0x50, 0x41, 0x52, 0x31], reads: 'parquet' },
  { name: 'zip', magic: [0x50, 0x4b, 0x03, 0x04], reads: null },
  { name: 'bzip2', magic: [0x42, 0x5a, 0x68], reads: null },
  { name: 'xz', magic: [0xfd, 0x37, 0x7a, 0x58], reads: null },
  { name: 'UTF-16', magic: [0xff, 0xfe], reads: null },
  { name: 'UTF-16', magic: [0xfe, 0xff], reads: null },
] as const;

/** The file at a path, if it is a plain one that may hold records; a UserError otherwise. */
export async function openDataFile(path: string, wanted: Layout | null = null): Promise<DataFile> {
  let found;
  try {
    found = await stat(path);
  } catch (error) {
    const code = systemCodeOf(error);
    const missing = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'].includes(code);
    throw new UserError(missing ? fileNotFound(path) : unreadable(path, code));
  }
  if (found.isDirectory()) {
    const parts = await arrowParts(path);
    if (parts === null) throw new UserError(notAFile(path, 'folder'));
    const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
    return { path, shown: path, bytes, inode: found.ino, packing: 'none', layout: 'arrow' };
  }
  if (!found.isFile()) throw new UserError(notAFile(path, 'special'));
  if (found.size === 0) throw new UserError(noPrompts(path));
  const file = { path, shown: path, bytes: found.size, inode: found.ino };
  const head = await readAt(file, 0, 4);
  const known = magics.find(({ magic }) => magic.every((byte, i) => head[i] === byte));
  if (known !== undefined && known.reads === null) throw new UserError(packed(path, known.name));
  if (known?.reads === 'parquet') return { ...file, packing: 'none', layout: 'parquet' };
  const packing: Packing = known?.reads ?? 'none';
  return { ...file, packing, layout: wanted ?? (await guessLayout({ ...file, packing, layout: 'lines' })) };
}

/** What is known of a file's content without reading all of a very large one. */
export interface Scan {
  /** Plain hex for the whole content; `partial-sha256:` + hex of size, first and last 16 MiB for a very large file. */
  hash: string;
  /** Records; null = not counted. */
  items: number | null;
}

/** Hashes and counts a file in one pass, or the ends of one above `wholeBytes`. */
export async function scan(file: DataFile, wholeBytes: number = countedWholeBytes): Promise<Scan> {
  if (file.layout === 'arrow') return scanArrow(file, wholeBytes);
  const hash = createHash('sha256');
  if (file.bytes > wholeBytes) {
    hash.update(`${file.bytes}\n`);
    hash.update(await readAt(file, 0, partHashedBytes));
    hash.update(await readAt(file, Math.max(0, file.bytes - partHashedBytes), partHashedBytes));
    const items = file.layout === 'parquet' ? await parquetRowCount(file) : null;
    return { hash: `partial-sha256:${hash.digest('hex')}`, items };
  }
  let items = 0;
  if (file.layout === 'parquet') {
    items = await parquetRowCount(file);
    hash.update(await readAt(file, 0, file.bytes));
  } else {
    for await (const records of readRecords(file, (bytes) => hash.update(bytes))) items += records.length;
  }
  if (items === 0) throw new UserError(noPrompts(file.shown));
  return { hash: hash.digest('hex'), items };
}

/** A folder of Arrow files: their contents one after the other, or names and sizes of very large ones. */
async function scanArrow(file: DataFile, wholeBytes: number): Promise<Scan> {
  const hash = createHash('sha256');
  const parts = (await arrowParts(file.path)) ?? [];
  if (file.bytes > wholeBytes) {
    for (const { path, bytes } of parts) hash.update(`${basename(path)}\n${bytes}\n`);
    return { hash: `names-and-sizes-sha256:${hash.digest('hex')}`, items: null };
  }
  for (const part of parts) hash.update(await readAt(part, 0, part.bytes));
  let items = 0;
  for await (const records of readRecords(file)) items += records.length;
  if (items === 0) throw new UserError(noPrompts(file.shown));
  return { hash: hash.digest('hex'), items };
}

/** The beginning of a file's text, unpacked and decoded loosely, for guessing what it is. */
export async function firstText(file: DataFile): Promise<string> {
  if (file.layout === 'parquet' || file.layout === 'arrow') return '';
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of readContent(file)) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes >= mebi) break;
    }
  } catch (error) {
    // Damage is told where the line is known; here it only ends the look.
    if (!(error instanceof BrokenPack)) throw error;
  }
  return Buffer.concat(pieces)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart();
}

async function guessLayout(file: DataFile): Promise<Layout> {
  if (extname(file.path.replace(/\.(gz|zst|zstd)$/i, '')).toLowerCase() === '.csv') return 'csv';
  const text = await firstText(file);
  if (!text.startsWith('[')) return 'lines';
  // `[` begins an array of records, or a line that is a list of messages.
  const end = text.indexOf('\n');
  const first = end === -1 ? text : text.slice(0, end);
  const value = jsonIn(first);
  return Array.isArray(value) && 'role' in membersOf(value[0]) ? 'lines' : 'array';
}
