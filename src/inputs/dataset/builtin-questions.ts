import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Prompt } from '../../core/index.ts';
import { invariant } from '../../core/index.ts';
import { fromPrompts, plainPrompt } from '../workload/index.ts';
import type { Dataset } from './dataset.ts';
import { textField } from './formats/openqa-format.ts';
import { packageRoot } from './package-root.ts';

/** What is asked when no dataset is named. */
export const builtinQuestionsSpec = 'builtin:questions';

/** The questions written for this project, English and Chinese in turn. */
export async function builtinQuestions(): Promise<Dataset> {
  const folder = join(packageRoot(), 'data', 'questions');
  const english = await readFile(join(folder, 'questions.en.jsonl'), 'utf8');
  const chinese = await readFile(join(folder, 'questions.zh.jsonl'), 'utf8');
  const prompts = inTurn(promptsOf('en', english), promptsOf('zh', chinese));
  const items = prompts.length;
  const hash = createHash('sha256').update(english).update(chinese).digest('hex');
  const bytes = Buffer.byteLength(english) + Buffer.byteLength(chinese);
  return {
    facts: ({ offset, count }) => ({
      spec: builtinQuestionsSpec,
      kind: 'builtin',
      name: 'questions',
      hash,
      items,
      bytes,
      offset: offset % items,
      cycled: count !== null && count > items,
    }),
    check: async () => {},
    async *survey() {
      for (const prompt of prompts) yield { prompt };
    },
    workload: (offset) => fromPrompts(prompts, { offset, cycle: true }),
  };
}

/** The built-in questions of one language as texts. */
export async function builtinTexts(lang: 'en' | 'zh'): Promise<string[]> {
  const text = await readFile(join(packageRoot(), 'data', 'questions', `questions.${lang}.jsonl`), 'utf8');
  return promptsOf(lang, text).map((prompt) => prompt.text ?? '');
}

function promptsOf(lang: string, jsonl: string): Prompt[] {
  const lines = jsonl.split('\n').filter((line) => line !== '');
  return lines.map((line, i) => {
    const read = textField(JSON.parse(line), { file: `questions.${lang}.jsonl`, line: i + 1 }, 'question');
    invariant('draft' in read && read.draft.text !== undefined, `line ${i + 1} of the ${lang} questions is sound`);
    return plainPrompt(`${lang}-${i + 1}`, read.draft.text);
  });
}

/** a1 b1 a2 b2 …, the rest of the longer list at the end. */
function inTurn<T>(a: readonly T[], b: readonly T[]): T[] {
  return Array.from({ length: Math.max(a.length, b.length) }, (_, i) => [
    ...a.slice(i, i + 1),
    ...b.slice(i, i + 1),
  ]).flat();
}
