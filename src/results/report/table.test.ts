import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellsOf } from '../../core/index.ts';
import { tableText } from './table.ts';

const head = ['load', 'ok', 'latency', '吞吐量', 'ttft'];
const rows = [
  ['8', '100', '1.25', '830.1', '0.07'],
  ['16', '99', '2.5', '1204.7', '0.11'],
];
const words = (text: string): string[] => text.split(/[\s─]+/).filter((word) => word !== '');

describe('a table on a terminal', () => {
  it('is one table where it fits, and where nobody knows how wide the reader is', () => {
    const whole = tableText(head, rows);
    expect(tableText(head, rows, 80)).toBe(whole);
    expect(whole.split('\n')).toHaveLength(6);
  });

  it('has the columns that do not fit below, beside the first one again', () => {
    expect(tableText(head, rows, 22).split('\n')).toEqual([
      '──────────────────',
      'load   ok  latency',
      '──────────────────',
      '8     100     1.25',
      '16     99      2.5',
      '──────────────────',
      '──────────────────',
      'load  吞吐量  ttft',
      '──────────────────',
      '8      830.1  0.07',
      '16    1204.7  0.11',
      '──────────────────',
    ]);
  });

  it('names columns in full where they stand apart from those that explain them', () => {
    const [short, alone] = [
      ['load', 'latency', 'p99'],
      ['load', 'latency', 'latency p99'],
    ];
    const table = (columns: number): string[] => tableText(short, [['8', '1', '2']], columns, alone).split('\n');
    expect(table(20)[1]).toBe('load  latency  p99');
    expect([table(17)[1], table(17)[6]]).toEqual(['load  latency', 'load  latency p99']);
  });

  it('is a list for each row where a column does not fit beside the first, and leaves out what is empty', () => {
    const wide = [['2026-11-15-a', 'max_num_seqs=64 gpu_memory_utilization=0.9', '']];
    expect(tableText(['trial', 'settings', ''], wide, 40).split('\n')).toEqual([
      'trial: 2026-11-15-a',
      '  settings: max_num_seqs=64',
      '    gpu_memory_utilization=0.9',
    ]);
  });

  it('is a list for each row where the blocks of a long table would not be on one screen', () => {
    const many = Array.from({ length: 30 }, (_, i) => [String(i), ...rows[0]!.slice(1)]);
    const lines = tableText(head, many, 22).split('\n');
    expect(lines.slice(0, 3)).toEqual(['load: 0', '  ok: 100', '  latency: 1.25']);
    expect(lines).toHaveLength(30 * head.length);
  });

  it('law: no line is longer than the terminal, and no cell is lost', () => {
    const cell = fc.stringMatching(/^[a-z0-9吞吐量]{1,9}$/);
    const table = fc.integer({ min: 1, max: 9 }).chain((width) =>
      fc.record({
        names: fc.array(cell, { minLength: width, maxLength: width }),
        body: fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 9 }),
        columns: fc.integer({ min: 44, max: 160 }),
      }),
    );
    fc.assert(
      fc.property(table, ({ names, body, columns }) => {
        const text = tableText(names, body, columns);
        expect(Math.max(...text.split('\n').map(cellsOf))).toBeLessThanOrEqual(columns);
        const said = words(text.replaceAll(':', ' '));
        for (const one of body.flat()) expect(said).toContain(one);
      }),
    );
  });
});
