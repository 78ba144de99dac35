import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { invariant } from '../../core/index.ts';

/**
 * The folder of the llmdyno package that a module belongs to: the nearest one above it whose package.json is named
 * llmdyno. The same from src/ and from a bundle anywhere under dist/, so that data/ is found in both.
 */
export function packageRoot(moduleUrl: string = import.meta.url): string {
  let folder = dirname(fileURLToPath(moduleUrl));
  for (;;) {
    if (packageNameIn(folder) === 'llmdyno') return folder;
    const above = dirname(folder);
    invariant(above !== folder, 'this code lies within the llmdyno package');
    folder = above;
  }
}

function packageNameIn(folder: string): unknown {
  try {
    const parsed: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return typeof parsed === 'object' && parsed !== null && 'name' in parsed ? parsed.name : null;
  } catch {
    return null;
  }
}
