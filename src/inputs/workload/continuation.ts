import type { Prompt } from '../../core/index.ts';
import { charCount, plainPrompt } from './prompt.ts';

/** Puts a piece of text and the wanted length, in characters, around which a model is asked to go on writing. */
export const continuationTemplate = {
  zh: '"""\n{text}\n"""\n\n请阅读上面的文字并接着往下写，大约写 {output} 个字：',
  en: '"""\n{text}\n"""\n\nRead the text above and go on writing, about {output} characters:',
} as const;

/** A template with its two places filled; text that looks like a place is left alone. */
export function fillTemplate(template: string, text: string, output: number): string {
  return template.replaceAll(/\{text\}|\{output\}/g, (place) => (place === '{text}' ? text : String(output)));
}

/** A prompt of the continuation template: `chars` of text that ends where the model is to go on. */
export function continuationPrompt(id: string, template: string, text: string, outputChars: number): Prompt {
  return { ...plainPrompt(id, fillTemplate(template, text, outputChars)), labels: { chunk: String(charCount(text)) } };
}

/** Cuts text, handed in piece by piece, into chunks of so many characters (code points); the rest at the end is dropped. */
export class ChunkCutter {
  #rest: string[] = [];

  constructor(readonly chars: number) {}

  /** The chunks that are full now. */
  add(text: string): string[] {
    const chunks: string[] = [];
    for (const char of text) {
      this.#rest.push(char);
      if (this.#rest.length < this.chars) continue;
      chunks.push(this.#rest.join(''));
      this.#rest = [];
    }
    return chunks;
  }
}
