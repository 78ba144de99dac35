/** A tool's output as lines that are safe to read: no colours, no other control characters, full-width forms made plain. */
export interface CleanText {
  lines: string[];
  /** The text did not end with a line break: its last line may be cut off. */
  lastLineOpen: boolean;
}

const mostLines = 20_000;
const longestLine = 4000;

/** Makes a tool's output readable. Tabs stay, because some tables are split by them. */
export function cleanLines(text: string): CleanText {
  const plain = text
    .replaceAll(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, '')
    .normalize('NFKC')
    .replaceAll('\r\n', '\n')
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, ' ');
  const lines = plain.split('\n');
  const lastLineOpen = lines.at(-1)!.trim() !== '';
  if (!lastLineOpen) lines.pop();
  return { lines: lines.slice(0, mostLines).map((line) => line.slice(0, longestLine)), lastLineOpen };
}
