import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const script = join(import.meta.dirname, '../../bench/tune/goals.mjs');
const long = process.env['LLMDYNO_LONG'] === '1';
const seeds = long ? 20 : 2;

interface Row {
  goal: string;
  good: number;
  median: number;
  mostRuns: number;
}

/** Runs the bench on one simulated MindIE and reads the table that it prints. */
function goalsTable(): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    const args = [script, '--seeds', String(seeds), '--server', 'qwen1.5-14b-mindie-8x910b4'];
    execFile(process.execPath, args, { timeout: 3_500_000 }, (error, out) => {
      if (error !== null) return reject(error);
      const rows = out.split('\n').flatMap((line): Row[] => {
        const [, goal, good, part, runs] = line.split(' | ');
        const count = /^(\d+) of/.exec(good ?? '');
        if (count === null) return [];
        const mostRuns = Number(runs!.split(', ')[1]);
        return [{ goal: goal!, good: Number(count[1]), median: Number.parseFloat(part!), mostRuns }];
      });
      resolve(rows);
    });
  });
}

describe('the goals of the MindIE guide, from `dyno tune --init mindie` as it is printed', () => {
  test(
    'each is reached, confirmed and truly kept, near the best feasible setting, in at most ten runs',
    { timeout: 3_600_000 },
    async () => {
      const rows = await goalsTable();
      expect(rows.map(({ goal }) => goal)).toEqual([
        'throughput',
        'decode-limit=50ms',
        'ttft=2s',
        'ttft=8s,decode=50ms',
      ]);
      for (const { good, median, mostRuns } of rows) {
        expect(good).toBeGreaterThanOrEqual(long ? 18 : seeds);
        expect(median).toBeGreaterThanOrEqual(95);
        expect(mostRuns).toBeLessThanOrEqual(10);
      }
    },
  );
});
