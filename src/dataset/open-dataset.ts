import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import { UserError } from '../core/index.ts';
import { builtinQuestions, builtinQuestionsSpec } from './builtin-questions.ts';
import type { Dataset, DatasetOptions } from './dataset.ts';
import { kindNeedsFile, unknownKind } from './dataset-mistakes.ts';
import { FileDataset } from './file-dataset.ts';
import { lineFormats } from './line-formats.ts';
import type { LineFormatName } from './line-formats.ts';
import type { TextFile } from './line-reader.ts';
import { firstWords, openTextFile, scan } from './text-file.ts';

/** Every word that may stand before the colon of a dataset spec. */
export const datasetKinds: readonly string[] = [...Object.keys(lineFormats), 'builtin'];

/**
 * Opens `openqa:FILE`, `lines:FILE`, `FILE` (guessed from what its first line looks like) or `builtin:questions`.
 * Everything that is wrong with the file as a whole is a UserError here; its lines are read by Dataset.check.
 */
export async function openDataset(spec: string = builtinQuestionsSpec, options: DatasetOptions = {}): Promise<Dataset> {
  if (spec === builtinQuestionsSpec) return builtinQuestions();
  const { kind, path } = partsOf(spec);
  const file = await openTextFile(path);
  const format = kind ?? (await guessFormat(file));
  return new FileDataset({ spec, format, field: options.field ?? null, file, scan: await scan(file) });
}

function partsOf(spec: string): { kind: LineFormatName | null; path: string } {
  const colon = spec.indexOf(':');
  const word = colon === -1 ? spec : spec.slice(0, colon);
  const path = colon === -1 ? '' : spec.slice(colon + 1);
  if (isLineFormat(word) && path !== '') return { kind: word, path };
  // A file may have a colon in its name, and a Windows path has one after the drive.
  if (existsSync(spec) || (spec !== '' && !looksLikeKind(word, colon))) return { kind: null, path: spec };
  throw new UserError(isLineFormat(word) ? kindNeedsFile(word) : unknownKind(spec, datasetKinds));
}

function isLineFormat(word: string): word is LineFormatName {
  return Object.hasOwn(lineFormats, word);
}

/** `foo:…`, or the bare name of a kind; not `C:\…`, not `./a:b`, not a plain file name. */
function looksLikeKind(word: string, colon: number): boolean {
  return colon === -1 ? datasetKinds.includes(word) : /^[a-z][a-z0-9_-]+$/i.test(word) || word === '';
}

async function guessFormat(file: TextFile): Promise<LineFormatName> {
  const first = (await firstWords(file))?.trimStart() ?? '';
  if (first.startsWith('{')) return 'openqa';
  return ['.jsonl', '.ndjson', '.json'].includes(extname(file.path).toLowerCase()) ? 'openqa' : 'lines';
}
