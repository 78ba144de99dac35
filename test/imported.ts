import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lineImporter } from '../src/tools/index.ts';
import type { Imported } from '../src/tools/index.ts';

/** Where the files of other tools lie. */
export const fixtures = join(import.meta.dirname, 'fixtures/import');

/** The text of a fixture. */
export function fixture(name: string): string {
  return readFileSync(join(fixtures, name), 'utf8');
}

/** Imports a text as if it had been read line by line. */
export function importText(text: string, file = 'document.md'): Imported {
  const importer = lineImporter(file);
  for (const line of text.split('\n')) importer.line(line);
  return importer.end();
}
