import type { LengthLaw } from '../../core/index.ts';
import { lengthText, UserError } from '../../core/index.ts';
import { linePrompts } from '../workload/index.ts';
import { builtinTexts } from './builtin-questions.ts';
import { openDataFile } from './data-file.ts';
import type { Dataset, DatasetOptions } from './dataset.ts';
import { lineTooLong, noPrompts, notUtf8 } from './dataset-mistakes.ts';
import { isBlank, readLines } from './line-reader.ts';
import { madeDataset } from './made-dataset.ts';
import type { Tokenizer } from './tokenizer.ts';

/** Lines are held in memory, so there is an end to them. */
const maxLinesMiB = 16;

/** Characters per token where no tokenizer counts: a usual figure for English text. */
const charsPerToken = 4;

const wording = {
  sonnet: {
    before: 'Choose as many of these lines as you can and go on in their manner:',
    after: '',
    prefix: 200,
    input: 550,
  },
  filler: {
    before: '',
    after: 'Which of the questions above is the hardest to answer, and why?',
    prefix: 0,
    input: 8192,
  },
} as const;

/** Prompts out of lines: `sonnet` with shared first lines, `filler` as a long context with a question behind it. */
export async function lineDataset(
  kind: keyof typeof wording,
  path: string,
  options: DatasetOptions,
  tokenizer: Tokenizer | null,
): Promise<Dataset> {
  const { before, after, prefix, input: usual } = wording[kind];
  const input: LengthLaw = options.input ?? { law: 'fixed', tokens: usual };
  const seed = options.seed ?? 1;
  const lines = path === '' ? await builtinTexts('en') : await linesOf(path);
  const tokensOf = (line: string): number =>
    tokenizer?.count(`${line}\n`) ?? Math.ceil((line.length + 1) / charsPerToken);
  return madeDataset({
    spec: path === '' ? kind : `${kind}:${path}`,
    kind,
    name: path === '' ? 'built-in questions' : 'lines of a file',
    settings: {
      seed,
      input: lengthText(input),
      lines: lines.length,
      ...(options.output !== undefined && { output: lengthText(options.output) }),
      ...(tokenizer === null ? { counted: 'estimated' } : { tokenizer: tokenizer.name, tokenizerHash: tokenizer.hash }),
    },
    contextTokens: options.contextTokens ?? null,
    make: linePrompts({
      seed,
      lines,
      tokensOf,
      input,
      output: options.output ?? null,
      prefixTokens: prefix,
      before,
      after,
    }),
  });
}

async function linesOf(path: string): Promise<string[]> {
  const file = await openDataFile(path, 'lines');
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  const lines: string[] = [];
  let bytes = 0;
  for await (const batch of readLines(file)) {
    for (const { bytes: raw, number } of batch) {
      if (isBlank(raw)) continue;
      bytes += raw.length;
      if (bytes > maxLinesMiB * 1024 * 1024)
        throw new UserError(lineTooLong({ file: path, line: number }, maxLinesMiB));
      try {
        lines.push(utf8.decode(raw));
      } catch {
        throw new UserError(notUtf8({ file: path, line: number }));
      }
    }
  }
  if (lines.length === 0) throw new UserError(noPrompts(path));
  return lines;
}
