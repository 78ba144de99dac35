import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { dyno, emptyFolder } from './dyno.ts';

test('the demo sweeps two simulated engines, compares them, and its last lines name folders that exist', async () => {
  const store = await emptyFolder();
  const done = await dyno(['demo', '--store', store]);
  expect(done.code).toBe(0);
  expect(done.out).toMatch(/Comparison/);
  const folders = done.out.trimEnd().split('\n').slice(-2);
  expect(folders.map((folder) => existsSync(folder))).toEqual([true, true]);
});
