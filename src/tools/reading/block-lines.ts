import { printableLine } from '../../core/index.ts';
import { boxCells, isBoxRule } from './box-table.ts';
import type { PointDraft } from './point-draft.ts';

/** No tool prints a longer block. */
const mostChars = 64 * 1024;

/** The lines of a block while it is being read, so that the tool's own table can be given back as it was printed. */
export class BlockLines {
  private readonly first: number;
  private readonly lines: string[] = [];
  private chars = 0;

  constructor(first: number) {
    this.first = first;
  }

  add(text: string): void {
    this.chars += text.length + 1;
    if (this.chars <= mostChars) this.lines.push(printableLine(text));
  }

  /** The block up to its last figure and what closes it, without the log that follows; null = too long to be one. */
  upTo(draft: PointDraft): string | null {
    if (this.chars > mostChars) return null;
    const said = [...draft.facts.values(), ...draft.mentions].map(({ line }) => line);
    let end = said.reduce((last, line) => Math.max(last, line), this.first) - this.first + 1;
    while (end < this.lines.length && continues(this.lines[end]!)) end++;
    return this.lines.slice(0, end).join('\n');
  }
}

/** A rule or another row of a table. */
function continues(line: string): boolean {
  return isBoxRule(line) || boxCells(line) !== null;
}
