import Table from 'cli-table3';
import { printable } from '../core/index.ts';

/** One table of a terminal: the first column is left, the others right-aligned; wide characters take two cells. */
export function tableText(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = new Table({
    head: head.map(printable),
    colAligns: head.map((_, index) => (index === 0 ? 'left' : 'right')),
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
    chars: {
      top: '─',
      'top-mid': '──',
      'top-left': '',
      'top-right': '',
      bottom: '─',
      'bottom-mid': '──',
      'bottom-left': '',
      'bottom-right': '',
      left: '',
      'left-mid': '',
      mid: '─',
      'mid-mid': '──',
      right: '',
      'right-mid': '',
      middle: '  ',
    },
  });
  for (const row of rows) table.push(row.map(printable));
  return table.toString();
}
