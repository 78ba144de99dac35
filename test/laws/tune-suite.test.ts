import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const script = join(import.meta.dirname, '../../bench/tune/run.mjs');
const long = process.env['LLMDYNO_LONG'] === '1';

interface Row {
  runs: number;
  median: number;
  feasible: number;
  of: number;
}

/** Runs the bench and reads the table that it prints. */
function suite(engines: number, first: number): Promise<Map<string, Row>> {
  return new Promise((resolve, reject) => {
    const args = [script, '--engines', String(engines), '--first', String(first)];
    execFile(process.execPath, args, { timeout: 1_500_000 }, (error, out) => {
      if (error !== null) return reject(error);
      const rows = out.split('\n').flatMap((line): [string, Row][] => {
        const [name, runs, median, , feasible] = line.split(' | ');
        const counts = /^(\d+) of (\d+)$/.exec(feasible ?? '');
        if (counts === null) return [];
        return [
          [
            name!,
            {
              runs: Number(runs),
              median: Number.parseFloat(median!),
              feasible: Number(counts[1]),
              of: Number(counts[2]),
            },
          ],
        ];
      });
      resolve(new Map(rows));
    });
  });
}

describe('the search on synthetic engines with features that its model lacks', () => {
  test(
    'few runs, near the feasible optimum, truly feasible, and ahead of blind search with as many runs',
    { timeout: 1_600_000 },
    async () => {
      // Three engines of three kinds in the quick suite; every kind four times over in the long one.
      const rows = long ? await suite(24, 101) : await suite(3, 2);
      const tune = rows.get('dyno tune')!;
      expect(tune.runs).toBeLessThanOrEqual(10);
      expect(tune.median).toBeGreaterThanOrEqual(long ? 95 : 90);
      expect(tune.feasible).toBeGreaterThanOrEqual(Math.floor(0.9 * tune.of));
      if (long) expect(tune.median).toBeGreaterThan(rows.get('random, 10 runs')!.median);
    },
  );
});
