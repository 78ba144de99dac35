import { cellsOf, wrapToCells } from '../../core/index.ts';

/** A terminal narrower than this is read sideways anyway. */
const narrowest = 20;

/** A line of words, broken where the terminal ends; what follows stands `hang` further in than the line itself. */
export function folded(line: string, columns = Infinity, hang = '    '): string[] {
  if (cellsOf(line) <= columns) return [line];
  const indent = /^ */.exec(line)![0];
  // The first line has more room; giving it the room of the others keeps the breaks simple.
  const room = Math.max(narrowest, columns - indent.length - hang.length);
  return wrapToCells(line.trim(), room).map((part, i) => `${indent}${i === 0 ? '' : hang}${part}`);
}
