import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCsv } from './csv-text.ts';

describe('CSV', () => {
  test('every table comes back from its quoted form, with the line each row begins on', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '1', ',', '"', '\n', ' ', '中') });
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 5 }), (rows) => {
        const text = rows.map((row) => row.map((value) => `"${value.replaceAll('"', '""')}"`).join(',')).join('\n');
        const kept = rows.filter((row) => row.some((value) => value !== ''));
        expect(readCsv(text).map((row) => row.cells)).toEqual(kept);
      }),
    );
  });
  test('lines are counted through quoted line breaks', () => {
    expect(readCsv('a,b\r\n"x\ny",2\n3,4')).toEqual([
      { line: 1, cells: ['a', 'b'] },
      { line: 2, cells: ['x\ny', '2'] },
      { line: 4, cells: ['3', '4'] },
    ]);
  });
});
