const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60]/;

/** How many cells of a terminal a text takes; Chinese characters take two. */
export function cellsOf(text: string): number {
  let cells = 0;
  for (const char of text) cells += wide.test(char) ? 2 : 1;
  return cells;
}

/** The text with blanks behind it (or before it) up to so many cells; a longer one as it is. */
export function padToCells(text: string, cells: number, before = false): string {
  const blanks = ' '.repeat(Math.max(0, cells - cellsOf(text)));
  return before ? blanks + text : text + blanks;
}

/** The beginning of a text that fits so many cells. */
export function cutToCells(text: string, cells: number): string {
  let [kept, used] = ['', 0];
  for (const char of text) {
    used += cellsOf(char);
    if (used > cells) break;
    kept += char;
  }
  return kept;
}

/**
 * What is not broken: a number with its unit, a flag with its number, a word, a wide character. An opening mark stays with what follows it, a
 * closing one with what stands before it.
 */
const wrapPieces =
  /[（「『“]*(?:[^\s\u2e80-\u9fff\uff00-\uff60]*-n \d+[^\s\u2e80-\u9fff\uff00-\uff60]*|[^\s\u2e80-\u9fff\uff00-\uff60]*\d (?:ms|s|%|h|min|秒|GiB|MiB|(?:tok|tokens|requests|req)\/s)(?![\p{L}\d])[^\s\u2e80-\u9fff\uff00-\uff60]*|[\u2e80-\u9fff\uff00-\uff60]|[^\s\u2e80-\u9fff\uff00-\uff60]+)[，。；：、！？）」』”]*|\s+/gu;

/**
 * A text in lines of at most so many cells: broken between words and between wide characters, not between a number and its unit; a longer
 * word stays whole.
 */
export function wrapToCells(text: string, cells: number): string[] {
  const pieces = text.match(wrapPieces) ?? [];
  const lines: string[] = [];
  let line = '';
  for (const piece of pieces) {
    if (line !== '' && cellsOf((line + piece).trimEnd()) > cells) {
      lines.push(line.trimEnd());
      line = '';
    }
    line += line === '' ? piece.trimStart() : piece;
  }
  if (line.trim() !== '') lines.push(line.trimEnd());
  return lines;
}
