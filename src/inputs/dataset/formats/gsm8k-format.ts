import { fieldOf } from '../record-format.ts';
import type { RecordFormat } from '../record-format.ts';
import { textField } from './openqa-format.ts';

/** GSM8K: a question, and an answer whose number stands behind `####`; that number is what answers are checked against. */
export const gsm8kFormat: RecordFormat = {
  about: {
    en: 'GSM8K: school arithmetic in "question"; the number behind #### in "answer" is checked (accuracy)',
    zh: 'GSM8K：小学数学题，字段 "question"；以 "answer" 中 #### 后的数字核对（准确率）',
  },
  example: '{"question": "Tom has 3 apples …", "answer": "3 + 4 = 7\\n#### 7"}',
  field: 'question',
  read(record, place, { field }) {
    const read = textField(record, place, field ?? 'question');
    if (!('draft' in read)) return read;
    const answer = fieldOf(record, 'answer');
    const number = typeof answer === 'string' ? numberBehindHashes(answer) : null;
    return { draft: { ...read.draft, ...(number !== null && { labels: { answer: number } }) } };
  },
};

/** The reference number of a GSM8K answer, thousands commas taken out; null = there is none. */
export function numberBehindHashes(answer: string): string | null {
  const found = /####\s*(-?[\d,]*\.?\d+)/.exec(answer)?.[1];
  return found === undefined ? null : found.replaceAll(',', '');
}
