import { emptyPrompt, fieldIsNotText, fieldMissing } from '../dataset-mistakes.ts';
import { fieldOf, jsonKind } from '../record-format.ts';
import type { RecordFormat, RecordPlace, RecordRead } from '../record-format.ts';

/** JSON objects (or rows) with the prompt in `question` or the field asked for; other fields are left alone. */
export const openqaFormat: RecordFormat = {
  about: {
    en: 'one question per record, in "question" or the field named by --field (HC3-Chinese, Codefuse-Evol: --field input)',
    zh: '每条记录一个问题，字段为 "question" 或 --field 指定（HC3-Chinese；Codefuse-Evol 用 --field input）',
  },
  example: '{"question": "为什么天是蓝的？"}',
  field: 'question',
  read: (record, place, { field }) => textField(record, place, field ?? 'question'),
};

/** The prompt in one field of a record. */
export function textField(record: unknown, place: RecordPlace, wanted: string): RecordRead {
  const text = fieldOf(record, wanted);
  if (text === undefined) return { mistake: fieldMissing(place, wanted, Object.keys(record as object)) };
  if (typeof text !== 'string') return { mistake: fieldIsNotText(place, wanted, jsonKind(text)) };
  return text.trim() === '' ? { mistake: emptyPrompt({ ...place, field: wanted }) } : { draft: { text } };
}
