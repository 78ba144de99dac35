import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { dyno, emptyFolder } from './dyno.ts';

test('the demo sweeps two simulated engines, compares them, and its last lines name folders that exist', async () => {
  const store = await emptyFolder();
  const done = await dyno(['demo', '--store', store]);
  expect(done.code).toBe(0);
  expect(done.out).toMatch(/Comparison/);
  const files = done.out.split('\n').filter((line) => /\.(html|png)$/.test(line));
  expect(files.map((file) => file.slice(file.lastIndexOf('/') + 1))).toEqual([
    'report.html',
    'comparison.png',
    'sweep.png',
    'sweep.png',
  ]);
  expect(files.map((file) => readFileSync(file).length > 20_000)).toEqual([true, true, true, true]);
  const folders = done.out.trimEnd().split('\n').slice(-2);
  expect(folders.map((folder) => existsSync(folder))).toEqual([true, true]);
});
