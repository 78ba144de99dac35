import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { datasetFiles } from './dataset-files.ts';

const dir = mkdtempSync(join(tmpdir(), 'dyno-datasets-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test('only plain files of the folder itself: no link, no hidden file, no folder, nothing where there is none', async () => {
  for (const name of ['b.jsonl', 'a 提示.csv', '.secret', 'mix:x']) writeFileSync(join(dir, name), '');
  mkdirSync(join(dir, 'deeper'));
  symlinkSync('/etc/passwd', join(dir, 'passwd'));
  expect([...(await datasetFiles(dir))]).toEqual([join(dir, 'a 提示.csv'), join(dir, 'b.jsonl')]);
  expect((await datasetFiles(join(dir, 'gone'))).size).toBe(0);
  expect((await datasetFiles(null)).size).toBe(0);
});
