import { isSqlite } from './sqlite-table.ts';

/** How a file has to be read. */
export type FileKind = 'lines' | 'json' | 'csv' | 'sqlite' | 'compressed' | 'binary';

const utf8 = new TextDecoder('utf-8', { fatal: false });

/** The kind of a file, from its first bytes and its name. Compressed files are named, never unpacked. */
export function sniff(head: Uint8Array, name: string): FileKind {
  if (isSqlite(head)) return 'sqlite';
  const magic = [head[0] ?? 0, head[1] ?? 0, head[2] ?? 0, head[3] ?? 0];
  const is = (...bytes: number[]): boolean => bytes.every((byte, i) => magic[i] === byte);
  if (
    is(0x1f, 0x8b) ||
    is(0x50, 0x4b, 3, 4) ||
    is(0x28, 0xb5, 0x2f, 0xfd) ||
    is(0x42, 0x5a, 0x68) ||
    is(0xfd, 0x37, 0x7a)
  )
    return 'compressed';
  if (head.subarray(0, 4096).includes(0)) return 'binary';
  const text = utf8.decode(head.subarray(0, 65536)).replace(/^\uFEFF/, '');
  if (/^\s*(?:\{\s*["}]|\[\s*[{[\]])/.test(text)) return 'json';
  if (/\.csv$/i.test(name)) return 'csv';
  return 'lines';
}
