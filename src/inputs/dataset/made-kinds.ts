import type { LengthLaw, Phrase } from '../../core/index.ts';
import { lengthText, UserError } from '../../core/index.ts';
import { exactWords, plainWords, randomPrompts, sharedPrefixPrompts } from '../workload/index.ts';
import type { WordSource } from '../workload/index.ts';
import type { Dataset, DatasetOptions } from './dataset.ts';
import { imageDataset } from './image-dataset.ts';
import { lineDataset } from './line-kinds.ts';
import { badPart } from './made-mistakes.ts';
import { madeDataset } from './made-dataset.ts';
import { numbersIn } from './numbers-in.ts';
import { readSynthetic } from './synthetic-config.ts';
import type { Tokenizer } from './tokenizer.ts';

/** A kind of dataset whose prompts are made, not read. */
export interface MadeKind {
  about: Phrase;
  example: string;
  open(rest: string, options: DatasetOptions, tokenizer: Tokenizer | null): Dataset | Promise<Dataset>;
}

const defaultInput: LengthLaw = { law: 'fixed', tokens: 512 };

/** Texts of a wanted length: exact under the tokenizer, or one common word per token without one. */
export function wordsFor(tokenizer: Tokenizer | null): WordSource {
  return tokenizer === null || tokenizer.words.length === 0 ? plainWords : exactWords(tokenizer);
}

/** Characters of a random text for each of its tokens, the space between words among them. */
function charsPerToken(words: readonly string[]): number {
  const chars = words.reduce((sum, word) => sum + word.length + 1, 0);
  return Math.round((100 * chars) / words.length) / 100;
}

/** What all of them put into the plan. */
function settingsOf(options: DatasetOptions, tokenizer: Tokenizer | null): Record<string, string | number> {
  return {
    seed: options.seed ?? 1,
    input: lengthText(options.input ?? defaultInput),
    ...(options.output !== undefined && { output: lengthText(options.output) }),
    ...(tokenizer === null
      ? { words: 'short English words' }
      : {
          tokenizer: tokenizer.name,
          tokenizerHash: tokenizer.hash,
          ...(tokenizer.words.length > 0 && { charsPerToken: charsPerToken(tokenizer.words) }),
        }),
  };
}

/** Texts of no meaning, each of a length of its own. */
function randomText(
  named: { spec: string; kind: string; name: string },
  options: DatasetOptions,
  tokenizer: Tokenizer | null,
): Dataset {
  return madeDataset({
    ...named,
    settings: settingsOf(options, tokenizer),
    contextTokens: options.contextTokens ?? null,
    make: randomPrompts({
      seed: options.seed ?? 1,
      words: wordsFor(tokenizer),
      input: options.input ?? defaultInput,
      output: options.output ?? null,
    }),
  });
}

const random: MadeKind = {
  about: {
    en: 'random text of --input-tokens (default 512), exact with --tokenizer, else one common word per token',
    zh: '长度为 --input-tokens 的随机文本（默认 512）；给出 --tokenizer 时精确，否则每 token 一个常用词',
  },
  example: '--dataset random --input-tokens 100..500 --output-tokens 200',
  open: (rest, options, tokenizer) => {
    if (rest !== '') throw new UserError(badPart('random', rest, []));
    return randomText({ spec: 'random', kind: 'random', name: 'random text' }, options, tokenizer);
  },
};

const sharedPrefix: MadeKind = {
  about: {
    en: 'groups of prompts that begin alike: groups=8, prefix=1024 (tokens), zipf=1.1 (popularity; left out: all alike)',
    zh: '共享前缀的提示词组：groups=8，prefix=1024（token），zipf=1.1（热度；不写则均匀）',
  },
  example: '--dataset shared-prefix:groups=16,prefix=2048,zipf=1.1 --input-tokens 128',
  open: (rest, options, tokenizer) => {
    const parts = numbersIn('shared-prefix', rest, { groups: 8, prefix: 1024, zipf: 0 });
    const groups = Math.max(1, Math.round(parts.groups));
    const prefixTokens = Math.max(1, Math.round(parts.prefix));
    return madeDataset({
      spec: rest === '' ? 'shared-prefix' : `shared-prefix:${rest}`,
      kind: 'shared-prefix',
      name: 'shared prefixes',
      settings: { ...settingsOf(options, tokenizer), groups, prefix: prefixTokens, zipf: parts.zipf },
      contextTokens: options.contextTokens ?? null,
      make: sharedPrefixPrompts({
        seed: options.seed ?? 1,
        words: wordsFor(tokenizer),
        input: options.input ?? { law: 'fixed', tokens: 128 },
        output: options.output ?? null,
        groups,
        prefixTokens,
        zipf: parts.zipf > 0 ? parts.zipf : null,
      }),
    });
  },
};

const synthetic: MadeKind = {
  about: {
    en: "MindIE's and AISBench's synthetic_config.json: uniform, gaussian or zipf lengths for input and output",
    zh: 'MindIE / AISBench 的 synthetic_config.json：输入、输出长度为 uniform、gaussian 或 zipf',
  },
  example: '--dataset synthetic:synthetic_config.json',
  open: async (rest, options, tokenizer) => {
    const config = await readSynthetic(rest);
    const whole = { ...options, input: options.input ?? config.input, output: options.output ?? config.output };
    return randomText({ spec: `synthetic:${rest}`, kind: 'synthetic', name: 'synthetic lengths' }, whole, tokenizer);
  },
};

const images: MadeKind = {
  about: {
    en: 'vision chat: the pictures of a folder in turn (images:FOLDER), or synthetic ones (width, height, count)',
    zh: '视觉对话：依次使用目录中的图片（images:目录），或合成图片（width、height、count）',
  },
  example: '--dataset images:width=448,height=448,count=1',
  open: (rest, options) => imageDataset(rest, options),
};

const sonnet: MadeKind = {
  about: {
    en: 'lines of a file (or built-in ones): the first 200 tokens of them before every prompt, then lines at random up to --input-tokens (550)',
    zh: '文件（或内置）的若干行：每个提示词以前 200 token 的行开头，再随机取行直到 --input-tokens（550）',
  },
  example: '--dataset sonnet:poem.txt --input-tokens 550 --output-tokens 150 --tokenizer DIR',
  open: (rest, options, tokenizer) => lineDataset('sonnet', rest, options, tokenizer),
};

const filler: MadeKind = {
  about: {
    en: 'long context: lines at random up to --input-tokens (8192), then a question about them',
    zh: '长上下文：随机取行直到 --input-tokens（8192），再就其提问',
  },
  example: '--dataset filler --input-tokens 32000 --output-tokens 200',
  open: (rest, options, tokenizer) => lineDataset('filler', rest, options, tokenizer),
};

/** Every kind whose prompts are made, by its word; `continuation` is made from text and has a file of its own. */
export const madeKinds = {
  random,
  'shared-prefix': sharedPrefix,
  synthetic,
  images,
  sonnet,
  filler,
} as const satisfies Record<string, MadeKind>;
