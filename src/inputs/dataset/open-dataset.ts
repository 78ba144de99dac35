import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import { lengthText, thinkText, UserError } from '../../core/index.ts';
import type { LengthLaw } from '../../core/index.ts';
import { withOutputLengths } from '../workload/index.ts';
import { builtinQuestions, builtinQuestionsSpec } from './builtin-questions.ts';
import { continuationDataset } from './continuation-dataset.ts';
import type { Dataset, DatasetOptions } from './dataset.ts';
import { kindNeedsFile, unknownKind } from './dataset-mistakes.ts';
import { firstText, openDataFile, scan } from './data-file.ts';
import { FileDataset } from './file-dataset.ts';
import type { DataFile } from './file-bytes.ts';
import { lengthsNotTaken } from './made-mistakes.ts';
import { madeKinds, wordsFor } from './made-kinds.ts';
import { mixDataset, mixParts } from './mix-dataset.ts';
import { recordFormats } from './record-formats.ts';
import type { RecordFormatName } from './record-formats.ts';
import type { RecordFormat } from './record-format.ts';
import { needsTokenizer } from './tokenizer-mistakes.ts';
import { openTokenizer } from './tokenizer.ts';
import type { Tokenizer } from './tokenizer.ts';

/** Every word that may stand before the colon of a dataset spec. */
export const datasetKinds: readonly string[] = [
  ...Object.keys(recordFormats),
  ...Object.keys(madeKinds),
  'continuation',
  'mix',
  'builtin',
];

/**
 * Opens `KIND:FILE`, `FILE` (guessed from what its first record looks like), `random`, `shared-prefix:…`,
 * `continuation:FILE`, `mix:…` or `builtin:questions`; without a spec, random text where a length is asked for.
 * Everything that is wrong with the file as a whole is a UserError here; its records are read by Dataset.check.
 */
export async function openDataset(spec?: string, options: DatasetOptions = {}): Promise<Dataset> {
  const wanted = spec ?? (options.input === undefined ? builtinQuestionsSpec : 'random');
  const tokenizer = options.tokenizer === undefined ? null : await openTokenizer(options.tokenizer);
  return openWith(wanted, options, tokenizer);
}

async function openWith(spec: string, options: DatasetOptions, tokenizer: Tokenizer | null): Promise<Dataset> {
  const colon = spec.indexOf(':');
  const word = colon === -1 ? spec : spec.slice(0, colon);
  const rest = colon === -1 ? '' : spec.slice(colon + 1);
  if (Object.hasOwn(madeKinds, word)) {
    const kind = madeKinds[word as keyof typeof madeKinds];
    if (word === 'synthetic' && rest === '') throw new UserError(kindNeedsFile(word));
    return kind.open(rest, options, tokenizer);
  }
  if (word === 'continuation') return continuationDataset(rest, options, tokenizer);
  if (word === 'mix' && rest !== '') {
    const parts = mixParts(rest);
    const opened = [];
    // Lengths are for the parts that are made; files keep theirs.
    const { input: _, ...kept } = options;
    for (const part of parts) {
      const made = takesLengths(part.spec);
      opened.push({ ...part, dataset: await openWith(part.spec, made ? options : kept, tokenizer) });
    }
    return mixDataset(spec, opened, options.seed ?? 1);
  }
  if (options.input !== undefined) throw new UserError(lengthsNotTaken(word));
  const dataset = spec === builtinQuestionsSpec ? await builtinQuestions() : await openFile(spec, options, tokenizer);
  return options.output === undefined ? dataset : withLengths(dataset, options.output, options.seed ?? 1);
}

function takesLengths(spec: string): boolean {
  const word = spec.split(':', 1)[0]!;
  return word === 'continuation' || Object.hasOwn(madeKinds, word);
}

async function openFile(spec: string, options: DatasetOptions, tokenizer: Tokenizer | null): Promise<Dataset> {
  const { kind, path } = partsOf(spec);
  const told: RecordFormat | null = kind === null ? null : recordFormats[kind];
  const file = await openDataFile(path, told?.text === true ? 'lines' : (told?.layout ?? null));
  const name = kind ?? (await guessFormat(file));
  const format: RecordFormat = recordFormats[name];
  if (format.needsTokenizer === true && tokenizer === null) throw new UserError(needsTokenizer(name));
  const { field, seed = 1, shuffle = false, output } = options;
  return new FileDataset({
    spec,
    kind: name,
    format,
    file,
    scan: await scan(file),
    shuffle,
    contextTokens: options.contextTokens ?? null,
    context: {
      field: field ?? null,
      tokenizer,
      output: output ?? null,
      seed,
      words: format.timed === true ? wordsFor(tokenizer) : wordsFor(null),
      think: options.think ?? null,
      keepReasoning: options.keepReasoning ?? false,
    },
    settings: {
      ...(field !== undefined && { field }),
      ...(shuffle && { shuffle, seed }),
      ...(format.conversations === true && talkSettings(options)),
      ...(tokenizer !== null && { tokenizer: tokenizer.name, tokenizerHash: tokenizer.hash }),
    },
  });
}

function talkSettings({ think, keepReasoning }: DatasetOptions): Record<string, string | boolean> {
  return { ...(think !== undefined && { think: thinkText(think) }), ...(keepReasoning === true && { keepReasoning }) };
}

/** The same prompts with answer lengths drawn for them. */
function withLengths(dataset: Dataset, law: LengthLaw, seed: number): Dataset {
  const put = withOutputLengths(law, seed);
  return {
    ...(dataset.survey !== undefined && { survey: () => dataset.survey!() }),
    ...(dataset.promptsWithin !== undefined && {
      promptsWithin: (offset, requests) => dataset.promptsWithin!(offset, requests),
    }),
    ...(dataset.gapsMs !== undefined && { gapsMs: (slice) => dataset.gapsMs!(slice) }),
    check: (slice) => dataset.check(slice),
    facts: (slice) => {
      const facts = dataset.facts(slice);
      return { ...facts, settings: { ...facts.settings, output: lengthText(law) } };
    },
    workload: (offset) => {
      const source = dataset.workload(offset);
      let index = offset;
      return {
        ...source,
        next() {
          const read = source.next();
          const at = index++;
          if (read instanceof Promise) return read.then((prompt) => (prompt === null ? null : put(prompt, at)));
          return read === null ? null : put(read, at);
        },
      };
    },
  };
}

function partsOf(spec: string): { kind: RecordFormatName | null; path: string } {
  const colon = spec.indexOf(':');
  const word = colon === -1 ? spec : spec.slice(0, colon);
  const path = colon === -1 ? '' : spec.slice(colon + 1);
  if (isRecordFormat(word) && path !== '') return { kind: word, path };
  // A file may have a colon in its name, and a Windows path has one after the drive.
  if (existsSync(spec) || (spec !== '' && !looksLikeKind(word, colon))) return { kind: null, path: spec };
  throw new UserError(isRecordFormat(word) ? kindNeedsFile(word) : unknownKind(spec, datasetKinds));
}

function isRecordFormat(word: string): word is RecordFormatName {
  return Object.hasOwn(recordFormats, word);
}

/** `foo:…`, or the bare name of a kind; not `C:\…`, not `./a:b`, not a plain file name. */
function looksLikeKind(word: string, colon: number): boolean {
  return colon === -1 ? datasetKinds.includes(word) : /^[a-z][a-z0-9_-]+$/i.test(word) || word === '';
}

/** What a file looks like by the fields of its first record, then by its name. */
async function guessFormat(file: DataFile): Promise<RecordFormatName> {
  if (file.layout === 'parquet' || file.layout === 'arrow') return 'openqa';
  const text = await firstText(file);
  const head = text.slice(0, 64 * 1024);
  if (file.layout === 'csv') {
    const names = head.split('\n', 1)[0]!;
    if (/\bContextTokens\b/.test(names)) return 'azure';
    return /\bRequest tokens\b/.test(names) ? 'burstgpt' : 'openqa';
  }
  if (file.layout === 'array' || head.startsWith('{') || head.startsWith('[')) {
    if (/^\s*\[?\s*\{\s*"(from|role)"/.test(head)) return 'messages';
    if (/"hash_ids"\s*:/.test(head) && /"input_length"\s*:/.test(head)) return 'mooncake';
    if (/"conversations"\s*:/.test(head)) return 'sharegpt';
    if (/"body"\s*:\s*\{/.test(head)) return 'requests';
    if (/"messages"\s*:\s*\[/.test(head) && !/"question"\s*:/.test(head)) {
      return /"(max_tokens|temperature|tools|top_p|max_completion_tokens)"\s*:/.test(head) ? 'requests' : 'messages';
    }
    if (/"answer"\s*:\s*"[^\n]*#### /.test(head)) return 'gsm8k';
    if (/"instruction"\s*:/.test(head) && !/"question"\s*:/.test(head)) return 'longalpaca';
    return 'openqa';
  }
  const extension = extname(file.path.replace(/\.(gz|zst|zstd)$/i, '')).toLowerCase();
  return ['.jsonl', '.ndjson', '.json'].includes(extension) ? 'openqa' : 'lines';
}
