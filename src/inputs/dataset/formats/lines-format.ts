import { emptyPrompt } from '../dataset-mistakes.ts';
import type { RecordFormat } from '../record-format.ts';

/** Plain text: a line is a prompt, spaces and all. */
export const linesFormat: RecordFormat = {
  about: { en: 'plain text, one prompt per line', zh: '纯文本，每行一个提示词' },
  example: 'Why is the sky blue?',
  text: true,
  field: '',
  read(line, place) {
    const text = String(line);
    return text.trim() === '' ? { mistake: emptyPrompt(place) } : { draft: { text } };
  },
};
