import type { Mistake } from '../core/index.ts';
import { linesFormat } from './lines-format.ts';
import { openqaFormat } from './openqa-format.ts';

/** Where a line stands, for the words of a mistake. */
interface LinePlace {
  file: string;
  line: number;
}

/** What one line holds: the text of a prompt, or what is wrong with it. */
export type LineRead = { text: string } | { mistake: Mistake };

/** How one line of a file becomes a prompt. */
export interface LineFormat {
  read(line: string, place: LinePlace, field: string | null): LineRead;
}

/** Every format of one prompt per line, by its word before the colon of `--dataset`. */
export const lineFormats = {
  openqa: openqaFormat,
  lines: linesFormat,
} as const satisfies Record<string, LineFormat>;

/** The name of one of them. */
export type LineFormatName = keyof typeof lineFormats;
