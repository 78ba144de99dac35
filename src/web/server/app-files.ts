import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

/** One file of the built page. */
export interface AppFile {
  bytes: Uint8Array<ArrayBuffer>;
  /** Compressed on first use; the page is on the same machine, so small matters only beyond it. */
  packed(): Uint8Array<ArrayBuffer>;
  type: string;
  /** Its name carries a hash of its content, so it never changes. */
  forEver: boolean;
}

/** The files of the page, by their path. */
export type AppFiles = ReadonlyMap<string, AppFile>;

const kinds: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};

/** Reads the built page into memory: what is not in this list is not served, whatever path is asked for. */
export async function readAppFiles(folder: URL): Promise<AppFiles> {
  const files = new Map<string, AppFile>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const type = kinds[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const whole = `${entry.parentPath}/${entry.name}`;
    const path = `/${whole.slice(folder.pathname.length).replace(/^\//, '')}`;
    const bytes = new Uint8Array(await readFile(whole));
    let packed: Uint8Array<ArrayBuffer> | null = null;
    files.set(path, {
      bytes,
      packed: () =>
        (packed ??= new Uint8Array(brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }))),
      type,
      forEver: path.startsWith('/assets/'),
    });
  }
  return files;
}
