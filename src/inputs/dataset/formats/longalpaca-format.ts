import type { RecordFormat } from '../record-format.ts';
import { textField } from './openqa-format.ts';

/** LongAlpaca-12k: long documents with a question, in `instruction`. */
export const longalpacaFormat: RecordFormat = {
  about: { en: 'LongAlpaca: long prompts in "instruction"', zh: 'LongAlpaca：长提示词，字段 "instruction"' },
  example: '{"instruction": "Below is a paper … What does it show?", "output": "…"}',
  field: 'instruction',
  read: (record, place, { field }) => textField(record, place, field ?? 'instruction'),
};
