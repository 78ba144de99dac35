import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { holderOf, lockFolder } from './folder-lock.ts';
import { identityOf } from './process-identity.ts';

const folder = (): string => mkdtempSync(join(tmpdir(), 'llmdyno-lock-'));
const since = '2026-11-19T00:00:00.000Z';
const lock = (dir: string, words: object | string): void =>
  writeFileSync(join(dir, 'lock.json'), typeof words === 'string' ? words : JSON.stringify({ since, ...words }));
const own = await identityOf(process.pid);
const host = hostname();

test.each<[string, object | string]>([
  ['ended', { pid: 2 ** 22 - 3, began: 'boot 1', host }],
  [
    'ended, and whose pid another process was given',
    { pid: process.pid, began: `${own.began?.split(' ')[0]} 1`, host },
  ],
  [
    'ended with its system, which was started again',
    { pid: process.pid, began: `another-boot ${own.began?.split(' ').at(-1)}`, host },
  ],
  ['could not tell when it began', { pid: process.pid, began: null, host }],
  ['was cut off while it wrote', '{"pid": 12'],
  ['wrote nothing', ''],
])('the lock of a process that %s blocks nobody: it is taken over', async (_, words) => {
  const dir = folder();
  lock(dir, words);
  expect(await holderOf(dir)).toBeNull();
  const taken = await lockFolder(dir);
  expect(taken.tookOverFrom?.pid ?? null).toBe(typeof words === 'string' ? null : (words as { pid: number }).pid);
  expect(await holderOf(dir)).toMatchObject({ pid: process.pid });
  await taken.release();
  expect(readdirSync(dir)).toEqual([]);
});

test('a process that lives, or that nobody here can look up, holds its folder, and the words say which file to remove', async () => {
  for (const words of [
    { ...own, host },
    { pid: 7, began: 'boot 1', host: 'another-host' },
  ]) {
    const dir = folder();
    lock(dir, words);
    await expect(lockFolder(dir)).rejects.toMatchObject({
      mistakes: [{ code: 'run-held', hint: { en: expect.stringContaining(join(dir, 'lock.json')) as string } }],
    });
    expect(JSON.parse(readFileSync(join(dir, 'lock.json'), 'utf8'))).toMatchObject({ pid: words.pid });
    expect(readdirSync(dir)).toEqual(['lock.json']);
  }
});

test('of two that find the same dead lock at once one takes it over', async () => {
  const dir = folder();
  lock(dir, { pid: 2 ** 22 - 3, began: 'boot 1', host });
  const all = await Promise.allSettled([lockFolder(dir), lockFolder(dir)]);
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(readdirSync(dir)).toEqual(['lock.json']);
});
