import { lstat, realpath, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { printable, userError, UserError } from '../../core/index.ts';
import { findWhatever } from './find-entry.ts';
import { isSafeName } from './run-id.ts';
import { systemCode, telling } from './store-error.ts';
import { tunesNamed } from './stored-tune.ts';

const records = ['plan.json', 'sweep.json', 'tune.json'];

/**
 * Deletes a run, sweep or search; gives its id. Only ever removes a real folder (no link) that lies directly in the store and
 * holds a plan.json, sweep.json or tune.json; a damaged one can be named by its exact id. A search that has not ended is left
 * alone: its folder holds the originals of the configs that it changed.
 */
export async function deleteRun(store: string, word: string): Promise<string> {
  const named = isSafeName(word) && (await isRealFolder(join(store, word)));
  const id = named ? word : (await findWhatever(store, word)).id;
  const [tune] = await tunesNamed(store, id);
  if (tune?.id === id && tune.record.running)
    throw userError(
      'delete-refused',
      `${id} has not ended; its folder holds the original of what it changed`,
      `${id} 尚未结束；其目录中保存着被改动文件的原件`,
      'Wait for it or end it with Ctrl-C; if it was killed, run `dyno tune --restore` first.',
      '请等待其结束或按 Ctrl-C 结束；若已被强制终止，请先运行 `dyno tune --restore`。',
    );
  const dir = join(resolve(store), id);
  const allowed =
    isSafeName(id) &&
    (await isRealFolder(dir)) &&
    (await realpath(dirname(dir))) === (await realpath(store)) &&
    (await Promise.all(records.map((name) => isRealFile(join(dir, name))))).includes(true);
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
  return userError(
    'delete-refused',
    `"${shown}" is not a run, sweep or search directly in the store, so it is not deleted`,
    `"${shown}" 不是存储目录下的运行、扫描或调优，拒绝删除`,
    'Name it by its id as `dyno runs` shows it.',
    '请使用 `dyno runs` 显示的 id。',
  );
}
