import { emptyPrompt } from './dataset-mistakes.ts';
import type { LineFormat } from './line-formats.ts';

/** Plain text: a line is a prompt, spaces and all. */
export const linesFormat: LineFormat = {
  read: (line, place) => (line.trim() === '' ? { mistake: emptyPrompt(place) } : { text: line }),
};
