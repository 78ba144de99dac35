import { lstat, realpath, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { printable, UserError } from '../core/index.ts';
import { findEntry } from './find-entry.ts';
import { isSafeName } from './run-id.ts';
import { systemCode, telling } from './store-error.ts';

/**
 * Deletes a run or sweep; gives its id. Only ever removes a real folder (no link) that lies directly in the store and
 * holds a plan.json or sweep.json; a damaged one can be named by its exact id.
 */
export async function deleteRun(store: string, word: string): Promise<string> {
  const id = isSafeName(word) && (await isRealFolder(join(store, word))) ? word : (await findEntry(store, word)).id;
  const dir = join(resolve(store), id);
  const allowed =
    isSafeName(id) &&
    (await isRealFolder(dir)) &&
    (await realpath(dirname(dir))) === (await realpath(store)) &&
    ((await isRealFile(join(dir, 'plan.json'))) || (await isRealFile(join(dir, 'sweep.json'))));
  if (!allowed) throw refused(word);
  await telling(dir, () => rm(dir, { recursive: true }));
  return id;
}

async function isRealFolder(path: string): Promise<boolean> {
  return (await kindOf(path)) === 'folder';
}

async function isRealFile(path: string): Promise<boolean> {
  return (await kindOf(path)) === 'file';
}

async function kindOf(path: string): Promise<'folder' | 'file' | 'other' | null> {
  try {
    const found = await lstat(path);
    if (found.isDirectory()) return 'folder';
    return found.isFile() ? 'file' : 'other';
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return null;
    return telling(path, () => Promise.reject(error as Error));
  }
}

function refused(word: string): UserError {
  const shown = printable(word).slice(0, 100);
  return new UserError({
    code: 'delete-refused',
    message: {
      en: `"${shown}" is not a run or sweep directly in the store, so it is not deleted`,
      zh: `"${shown}" 不是存储目录下的运行或扫描，拒绝删除`,
    },
    hint: { en: 'Name it by its id as `dyno runs` shows it.', zh: '请使用 `dyno runs` 显示的 id。' },
  });
}
