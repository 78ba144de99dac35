// The product's own rooms, bundled from source into a temporary file and loaded: what the bench scripts run is what ships.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Exports of the rooms core, sim, fit and tools, in one object. */
export async function sources() {
  const { build } = await import('esbuild');
  const folder = mkdtempSync(join(tmpdir(), 'llmdyno-bench-'));
  const outfile = join(folder, 'rooms.mjs');
  const rooms = ['core', 'engine/sim', 'advice/fit', 'tools'];
  await build({
    stdin: { contents: rooms.map((room) => `export * from './src/${room}/index.ts';`).join('\n'), resolveDir: root },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    logLevel: 'error',
  });
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A number behind a flag. */
export function numberFlag(name, fallback) {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? fallback : Number(process.argv[at + 1]);
}

export const percent = (ratio) => `${(100 * ratio).toFixed(1)} %`;
