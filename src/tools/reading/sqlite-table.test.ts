import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { randomStream } from '../../core/index.ts';
import { isSqlite, SqliteMistake, sqliteRows } from './sqlite-table.ts';

const folder = join(import.meta.dirname, '../../../test/fixtures/import/evalscope/parallel_3_number_24');
const bytes = readFileSync(join(folder, 'benchmark_data.db'));
// make.py beside it says how it was made.
const edges = new Uint8Array(readFileSync(join(folder, '../../sqlite/edges.db')));

describe('an SQLite file that evalscope wrote', () => {
  test('all rows with their columns; records that spill over pages are put together', () => {
    const rows = [...sqliteRows(bytes, 'result')];
    expect(rows).toHaveLength(24);
    expect([...rows[0]!.keys()]).toEqual([
      'request',
      'start_time',
      'inter_token_latencies',
      'success',
      'response_messages',
      'completed_time',
      'latency',
      'first_chunk_latency',
      'prompt_tokens',
      'completion_tokens',
      'max_gpu_memory_cost',
      'time_per_output_token',
      'request_id',
      'is_stream',
    ]);
    for (const row of rows) {
      expect(JSON.parse(row.get('request') as string)).toMatchObject({ model: 'qwen1.5-7b-chat', stream: true });
      expect(row.get('prompt_tokens')).toBe(26);
      expect((row.get('completed_time') as number) - (row.get('start_time') as number)).toBeCloseTo(
        row.get('latency') as number,
        9,
      );
      // A pickled list in base64: longer than a page, and whole.
      const pickled = row.get('response_messages') as string;
      expect(pickled.length).toBeGreaterThan(3000);
      expect(Buffer.from(pickled, 'base64').at(-1)).toBe('.'.charCodeAt(0));
    }
  });
  test('another table is a mistake', () => {
    expect(() => [...sqliteRows(bytes, 'nothing')]).toThrow(SqliteMistake);
  });
});

describe('an SQLite file of the edges of the format, made by SQLite itself', () => {
  const all = (table: string): Map<string, unknown>[] => [...sqliteRows(edges, table)];
  test('whole numbers of every width, fractions, and nothing', () => {
    const rows = all('numbers');
    expect(rows.map((row) => String(row.get('whole')))).toEqual(rows.map((row) => row.get('name')));
    expect(rows.map((row) => row.get('fraction'))).toEqual(rows.map((row) => Number(row.get('name')) / 4 + 0.125));
    expect(new Set(rows.map((row) => row.get('none')))).toEqual(new Set([null]));
    expect([rows.length, rows[0]!.get('whole'), rows.at(-1)!.get('whole')]).toEqual([26, -(2 ** 53), 2 ** 53]);
  });
  test('rows in the order of their numbers, whatever room a number takes', () => {
    const names = all('rowids').map((row) => Number(row.get('name')));
    expect(names).toEqual([-1, ...[7, 14, 21, 28, 35, 42, 49, 56, 63].map((bits) => 2 ** bits - 1)]);
  });
  test('texts of every length around the two at which a page spills; bytes are left out', () => {
    const rows = all('texts');
    expect(rows).toHaveLength(31);
    for (const row of rows) {
      const text = row.get('text') as string;
      expect([text.length, new Set(text).size]).toEqual([row.get('long'), Math.min(1, text.length)]);
      expect(row.get('bytes')).toBeNull();
    }
  });
});

describe('a file with one thing wrong says what', () => {
  // The page of the table `first`, whose only record ends with it: size, number, header of two bytes, text of 16.
  const page = Math.floor(Buffer.from(edges).indexOf('not this table') / 512) * 512;
  const cell = page + Buffer.from(edges.subarray(page + 8, page + 10)).readUInt16BE();
  const told = (at: number, ...patch: number[]): unknown => {
    const copy = Uint8Array.from(edges);
    copy.set(patch, at);
    try {
      return [...sqliteRows(copy, 'first')].map((row) => row.get('only'));
    } catch (error) {
      if (error instanceof SqliteMistake) return error.message.replace(/page \d+/, 'page N');
      throw error;
    }
  };
  const whole = ['not this table'];
  test.each([
    ['nothing', 0, [], whole],
    ['pages of 256', 16, [1, 0], 'page size is not valid'],
    ['pages of 768', 16, [3, 0], 'page size is not valid'],
    ['480 bytes of a page in use', 20, [32], 'cell leaves its page'],
    ['479 bytes of a page in use', 20, [33], 'page size is not valid'],
    ['UTF-16', 56, [0, 0, 0, 2], 'text is not UTF-8'],
    ['a page of an index', page, [10], 'page N is not part of a table'],
    ['cells to the end of the page', page + 3, [0, 252], 'cell leaves its page'],
    ['cells past the end of the page', page + 3, [0, 253], 'cell array leaves its page'],
    ['a cell in the last four bytes', page + 8, [1, 252], 'record header leaves its record'],
    ['a cell in the last three bytes', page + 8, [1, 253], 'cell leaves its page'],
    ['a record of the length of two files', cell, [131, 255, 127], 'record larger than the file'],
    ['a header as long as its record', cell + 2, [16], 'column leaves its record'],
    ['a header longer than its record', cell + 2, [17], 'record header leaves its record'],
    ['a column as long as its record', cell + 3, [41], whole],
    ['a column longer than its record', cell + 3, [43], 'column leaves its record'],
    ['a column of no kind', cell + 3, [10], 'column leaves its record'],
  ] as const)('%s', (_, at, patch, wanted) => {
    expect(told(at, ...patch)).toEqual(wanted);
  });
  test('a file cut before its last page, and one of a header only', () => {
    const rows = (to: number): unknown => [...sqliteRows(edges.subarray(0, to), 'result')];
    expect(() => rows(edges.length - 1)).toThrow('outside the file');
    expect(rows(edges.length)).toHaveLength(10);
    expect([isSqlite(edges.subarray(0, 100)), isSqlite(edges.subarray(0, 99))]).toEqual([true, false]);
  });
});

describe('a damaged or hostile file', () => {
  test('is told from a database by its first bytes', () => {
    expect([isSqlite(bytes), isSqlite(bytes.subarray(0, 50)), isSqlite(new Uint8Array(200))]).toEqual([
      true,
      false,
      false,
    ]);
  });
  test('ends in rows or in SqliteMistake, never in a loop or another error', () => {
    const chance = randomStream(7, 'sqlite damage');
    for (let n = 0; n < 300; n++) {
      const copy = Uint8Array.from(
        bytes.subarray(0, chance.below(10) === 0 ? chance.below(bytes.length) : bytes.length),
      );
      for (let k = 1 + chance.below(20); k > 0; k--)
        copy[16 + chance.below(Math.max(1, copy.length - 16))] = chance.below(256);
      try {
        for (const row of sqliteRows(copy, 'result')) expect(row.size).toBeLessThanOrEqual(15);
      } catch (error) {
        if (!(error instanceof SqliteMistake)) throw error;
      }
    }
  });
});
