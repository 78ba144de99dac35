import { DocumentReader } from './document-reader.ts';
import { formatsFor } from './formats.ts';
import type { FormatName } from './formats.ts';
import type { Imported } from './imported.ts';
import { sweepsOf } from './sweeps-of.ts';

/** Takes a document's lines as they are read; memory does not grow with the file. */
export interface LineImporter {
  line(text: string): void;
  end(): Imported;
}

/** An importer of running text: markdown documents and raw logs of every tool. `file` is only a name. */
export function lineImporter(file: string, format: FormatName = 'auto'): LineImporter {
  const reader = new DocumentReader(file, formatsFor('text', format));
  return {
    line: (text) => reader.line(text),
    end: () => {
      const sections = reader.end();
      return { sweeps: sweepsOf(sections, file), problems: reader.problems };
    },
  };
}
