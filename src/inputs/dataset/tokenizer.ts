import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { jsonIn, membersOf, printable, UserError } from '../../core/index.ts';
import { builtinTexts } from './builtin-questions.ts';
import type { TokenCoder } from '../workload/index.ts';
import { notATokenizer, noTokenizer } from './tokenizer-mistakes.ts';

/** A model's own tokenizer. Slow beside a send (milliseconds per prompt): for before and after a run, never during. */
export interface Tokenizer extends TokenCoder {
  /** Folder or file name, without the path of the user's machine. */
  name: string;
  /** sha256 of tokenizer.json, hex. */
  hash: string;
  /** Tokens of a text with the special ones that the model puts around it (BOS …), as vLLM counts in its dataset rules. */
  countWithSpecial(text: string): number;
}

/** What this file needs of the library. */
interface Coder {
  encode(text: string, options: { add_special_tokens: boolean }): { ids: number[] };
  get_vocab(withAdded: boolean): Map<string, number>;
}

const maxBytes = 256 * 1024 * 1024;
/** Words with their space in front, as byte-level BPE (Ġ) and SentencePiece (▁) write them; ASCII, so that no byte is hidden. */
const spacedWord = /^[Ġ▁][A-Za-z]+$/;

/** Opens the tokenizer of a model's folder, or of a tokenizer.json; anything that is none is a UserError. */
export async function openTokenizer(path: string): Promise<Tokenizer> {
  const file = await fileOf(path);
  const text = await readFile(file);
  const parsed = parse(text, file);
  const coder = await coderOf(parsed, await configBeside(file), file);
  const natural = (await builtinTexts('en')).join('\n');
  let words: string[] | null = null;
  const count = (said: string): number => coder.encode(said, { add_special_tokens: false }).ids.length;
  return {
    name: printable(basename(file) === 'tokenizer.json' ? basename(dirname(file)) : basename(file)),
    hash: createHash('sha256').update(text).digest('hex'),
    count,
    countWithSpecial: (said) => coder.encode(said, { add_special_tokens: true }).ids.length,
    get words() {
      return (words ??= weighing(wordsOf(coder), natural.length / count(natural)));
    },
  };
}

async function fileOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  if (found === null) throw new UserError(noTokenizer(path));
  const file = found.isDirectory() ? join(path, 'tokenizer.json') : path;
  const inside = found.isDirectory() ? await stat(file).catch(() => null) : found;
  if (inside === null) throw new UserError(noTokenizer(path));
  if (!inside.isFile() || inside.size > maxBytes) throw new UserError(notATokenizer(file, 'not a tokenizer.json'));
  return file;
}

function parse(text: Buffer, file: string): Record<string, unknown> {
  const value = jsonIn(text.toString('utf8'));
  if (value === undefined) throw new UserError(notATokenizer(file, 'not JSON'));
  const members = membersOf(value);
  if (!('vocab' in membersOf(members['model']))) throw new UserError(notATokenizer(file, 'it has no model.vocab'));
  return members;
}

async function configBeside(file: string): Promise<object> {
  try {
    const value: unknown = JSON.parse(await readFile(join(dirname(file), 'tokenizer_config.json'), 'utf8'));
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

async function coderOf(parsed: object, config: object, file: string): Promise<Coder> {
  // Loaded only when a tokenizer is asked for, so that start-up stays quick.
  const { Tokenizer: Library } = await import('@huggingface/tokenizers');
  try {
    const coder = new Library(parsed, config);
    coder.encode('a b', { add_special_tokens: false });
    return coder;
  } catch (error) {
    throw new UserError(notATokenizer(file, error instanceof Error ? error.message : String(error)));
  }
}

/** Fewer words than this repeat themselves too soon; of a vocabulary of 8,000, so many of the shortest are as light as its natural text. */
const fewestWords = 200;

/**
 * The words, shortest first, of which a token has as many characters on average as natural text has in this tokenizer, with
 * the space in front. Servers tokenise by the byte, one prompt after the other, so a vocabulary's long words would make every
 * first token later than real prompts do. Where there are too few such words, as many of the shortest as are enough.
 */
export function weighing(words: readonly string[], charsPerToken: number): string[] {
  const shortest = words.toSorted((a, b) => a.length - b.length);
  let chars = 0;
  let kept = 0;
  for (const word of shortest) {
    chars += word.length + 1;
    if (chars > charsPerToken * (kept + 1) && kept >= fewestWords) break;
    kept++;
  }
  const chosen = new Set(shortest.slice(0, kept));
  return words.filter((word) => chosen.has(word));
}

function wordsOf(coder: Coder): string[] {
  const spaced = [...coder.get_vocab(false)].filter(([token]) => spacedWord.test(token));
  return spaced.toSorted(([, a], [, b]) => a - b).map(([token]) => token.slice(1));
}
