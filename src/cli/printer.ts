import { randomInt } from 'node:crypto';

/** Numbers that no stranger can guess; they stand in our own escapes until these are printed. */
const ours = [randomInt(1000, 10_000), randomInt(1000, 10_000), randomInt(1000, 10_000)].join(';');

/** Goes back to the beginning of a line and empties it, for a line that is drawn again and again. */
export const lineAgain = `\u001b[${ours};2K`;

/** Text in a style of the terminal (SGR), by the numbers that begin and end it. */
export function styled(begin: number, end: number): (text: string) => string {
  return (text) => `\u001b[${ours};${begin}m${text}\u001b[${ours};${end}m`;
}

/**
 * Our own escapes, and every character that a terminal obeys: controls (C0 but tab and line end, DEL, C1), those that turn
 * the direction of writing, and other ends of lines.
 */
const terminalControls = new RegExp(
  `\\u001b\\[${ours};(\\d+m|2K)|(?!\\r\\n)[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]`,
  'g',
);

/**
 * Text as it may go to a terminal: our own escapes do what they say; whatever else a terminal would obey is written as JSON
 * writes it (`\\u001b`), which leaves JSON whole and shows what somebody tried.
 */
export function forTerminal(text: string): string {
  return text.replaceAll(terminalControls, (found, own: string | undefined) => {
    if (own === undefined) return `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`;
    return own === '2K' ? '\r\u001b[2K' : `\u001b[${own}`;
  });
}
