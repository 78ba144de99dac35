import { basename } from 'node:path';
import { lengthText, printable, randomStream, UserError } from '../../core/index.ts';
import type { LengthLaw, Prompt } from '../../core/index.ts';
import {
  charCount,
  ChunkCutter,
  continuationPrompt,
  fillTemplate,
  continuationTemplate,
  meanLength,
} from '../workload/index.ts';
import { builtinTexts } from './builtin-questions.ts';
import { openDataFile, scan } from './data-file.ts';
import type { Dataset, DatasetOptions } from './dataset.ts';
import { notUtf8 } from './dataset-mistakes.ts';
import { madeDataset } from './made-dataset.ts';
import { textTooShort } from './made-mistakes.ts';
import type { Tokenizer } from './tokenizer.ts';
import { readContent } from './unpack.ts';

const defaults: { input: LengthLaw; output: LengthLaw } = {
  input: { law: 'fixed', tokens: 1000 },
  output: { law: 'fixed', tokens: 500 },
};

/**
 * The continuation template: a text cut into chunks of so many characters, each with the wish to go on for about so many.
 * Lengths are characters here, as in the tests it comes from; what they are in tokens is measured and said.
 * Without a file the chunks are the built-in Chinese questions in a mixed order.
 */
export async function continuationDataset(
  path: string,
  options: DatasetOptions,
  tokenizer: Tokenizer | null,
): Promise<Dataset> {
  const input = options.input ?? defaults.input;
  const output = options.output ?? defaults.output;
  const chars = Math.max(1, Math.round(meanLength(input)));
  const wanted = Math.max(1, Math.round(meanLength(output)));
  const template = options.template ?? continuationTemplate.zh;
  const frame = fillTemplate(template, '', wanted);
  const settings = {
    // What the template adds to every chunk, said because a small "input" is mostly template.
    templateChars: charCount(frame),
    ...(tokenizer !== null && { templateTokens: tokenizer.count(frame) }),
    input: lengthText(input),
    output: lengthText(output),
    unit: 'characters',
    template,
  };
  if (path === '') {
    const texts = await builtinTexts('zh');
    const seed = options.seed ?? 1;
    const make = (index: number): Prompt =>
      continuationPrompt(`chunk-${index}`, template, mixedText(texts, chars, seed, index), wanted);
    const name = 'built-in text';
    return madeDataset({
      spec: 'continuation',
      kind: 'continuation',
      name,
      settings: { ...settings, seed },
      make,
      contextTokens: null,
    });
  }
  return fileChunks(path, { chars, wanted, template, settings });
}

async function fileChunks(
  path: string,
  parts: { chars: number; wanted: number; template: string; settings: Record<string, string | number> },
): Promise<Dataset> {
  const { chars, wanted, template, settings } = parts;
  const file = await openDataFile(path, 'lines');
  const { hash } = await scan(file);
  async function* chunks(): AsyncGenerator<string> {
    const utf8 = new TextDecoder('utf-8', { fatal: true });
    const cutter = new ChunkCutter(chars);
    for await (const piece of readContent(file)) {
      let text: string;
      try {
        text = utf8.decode(piece, { stream: true });
      } catch {
        throw new UserError(notUtf8({ file: file.shown }));
      }
      yield* cutter.add(text);
    }
  }
  let items = 0;
  for await (const _ of chunks()) items += 1;
  if (items === 0) throw new UserError(textTooShort(file.shown, chars));
  async function* promptsFrom(offset: number): AsyncGenerator<Prompt, void> {
    for (let toSkip = offset % items; ; toSkip = 0) {
      let index = 0;
      for await (const text of chunks()) {
        if (index++ < toSkip) continue;
        yield continuationPrompt(`chunk-${index - 1}`, template, text, wanted);
      }
    }
  }
  return {
    facts: ({ offset, count }) => ({
      spec: `continuation:${path}`,
      kind: 'continuation',
      name: printable(basename(path)),
      hash,
      items,
      bytes: file.bytes,
      offset: offset % items,
      cycled: count !== null && count > items,
      settings,
    }),
    check: async () => {},
    workload(offset) {
      const prompts = promptsFrom(offset);
      return { next: async () => (await prompts.next()).value ?? null };
    },
  };
}

function mixedText(texts: readonly string[], chars: number, seed: number, index: number): string {
  const chance = randomStream(seed, `chunk ${index}`);
  const cutter = new ChunkCutter(chars);
  for (;;) {
    const [chunk] = cutter.add(texts[chance.below(texts.length)]!);
    if (chunk !== undefined) return chunk;
  }
}
