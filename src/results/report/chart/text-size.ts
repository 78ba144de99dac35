/** Width of a text in px at a font size, estimated from above: wide characters are one em, others by their class. */
export function textWidth(text: string, size: number): number {
  let ems = 0;
  for (const char of text) {
    if (/[\u1100-\u11FF\u2E80-\u9FFF\uAC00-\uD7AF\uF900-\uFAFF\uFE30-\uFE4F\uFF00-\uFFEF·×°±○●※→←↑↓“”‘’…—]/.test(char))
      ems += 1;
    else if (/[A-Z@%&#mwMW]/.test(char)) ems += 0.78;
    else if (/[iljtf .,:;'|!()[\]]/.test(char)) ems += 0.36;
    else ems += 0.59;
  }
  return ems * size;
}

/** The text cut to a width, with an ellipsis where something is missing. */
export function cutTo(text: string, size: number, width: number): string {
  if (textWidth(text, size) <= width) return text;
  let kept = '';
  for (const char of text) {
    if (textWidth(`${kept}${char}…`, size) > width) break;
    kept += char;
  }
  return `${kept.trimEnd()}…`;
}

/** The text broken into lines no wider than a width: between words, or between any two wide characters. */
export function wrapTo(text: string, size: number, width: number): string[] {
  const pieces = text.match(/[\u2E80-\u9FFF\uFF00-\uFFEF]|[^\s\u2E80-\u9FFF\uFF00-\uFFEF]+\s*|\s+/gu) ?? [];
  // Closing marks never begin a line: they stay with what stands before them.
  for (let i = pieces.length - 1; i > 0; i--)
    if (/^[，。；：、！？）》」』】”’]/u.test(pieces[i]!))
      pieces.splice(i - 1, 2, pieces[i - 1]!.trimEnd() + pieces[i]!);
  const lines: string[] = [];
  let line = '';
  for (const piece of pieces) {
    if (line !== '' && textWidth((line + piece).trimEnd(), size) > width) {
      lines.push(line.trimEnd());
      line = '';
    }
    line += piece;
  }
  if (line.trim() !== '') lines.push(line.trimEnd());
  return lines.map((each) => cutTo(each, size, width));
}
