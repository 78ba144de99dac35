import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { randomStream } from '../../core/index.ts';
import { isSqlite, SqliteMistake, sqliteRows } from './sqlite-table.ts';

const folder = join(import.meta.dirname, '../../../test/fixtures/import/evalscope/parallel_3_number_24');
const bytes = readFileSync(join(folder, 'benchmark_data.db'));

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
