import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cellsOf } from '../../core/index.ts';
import { folded } from './folded.ts';

test('no line is wider than the terminal, and no word is lost, in either language', () => {
  const word = fc.constantFrom(
    'client:',
    'loop',
    'delay',
    'p50',
    '/',
    '1.2',
    'ms,',
    '循环延迟',
    '剩余句柄',
    '19966，',
    'CPU',
  );
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 40, max: 120 }),
      fc.nat(8),
      (words, columns, indent) => {
        const line = ' '.repeat(indent) + words.join(' ');
        const lines = folded(line, columns);
        for (const each of lines) {
          expect(cellsOf(each)).toBeLessThanOrEqual(columns);
          expect(each.startsWith(' '.repeat(indent))).toBe(true);
        }
        const bare = (text: string): string => text.replaceAll(/\s+/g, '');
        expect(bare(lines.join(''))).toBe(bare(line));
      },
    ),
  );
});

test('in a file nothing is broken', () => {
  const line = 'word '.repeat(200);
  expect(folded(line)).toEqual([line]);
});
