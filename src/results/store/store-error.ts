import { mistake, userError, UserError } from '../../core/index.ts';
import type { Phrase } from '../../core/index.ts';

const causes: Record<string, { code: string; message: Phrase; hint: Phrase }> = {
  ENOSPC: mistake(
    'disk-full',
    'the disk is full',
    '磁盘已满',
    'Free some space and go on with --resume (what was written stays), or choose another store with --store DIR.',
    '请清理磁盘后用 --resume 继续（已写入的记录保留），或用 --store 指定其他目录。',
  ),
  EDQUOT: mistake(
    'disk-full',
    'the disk quota is used up',
    '磁盘配额已用完',
    'Free some space and go on with --resume (what was written stays), or choose another store with --store DIR.',
    '请清理磁盘后用 --resume 继续（已写入的记录保留），或用 --store 指定其他目录。',
  ),
  EACCES: mistake(
    'store-not-permitted',
    'permission denied',
    '没有权限',
    'Choose a store you may write to with --store DIR.',
    '请用 --store 指定有写权限的目录。',
  ),
};
causes['EPERM'] = causes['EACCES']!;
causes['EROFS'] = { ...causes['EACCES']!, message: { en: 'the file system is read-only', zh: '文件系统只读' } };

/** The code of a system error ("ENOSPC"); null for anything else. */
export function systemCode(error: unknown): string | null {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : null;
}

/** A failed file operation in words; whatever is not a system error is passed through as it is. */
export function storeError(error: unknown, file: string): unknown {
  const code = systemCode(error);
  if (code === null || error instanceof UserError) return error;
  const cause =
    causes[code] ??
    mistake(
      'disk-error',
      `the file system said ${code}`,
      `文件系统报错 ${code}`,
      'Check the disk and the path of the store.',
      '请检查磁盘和存储目录。',
    );
  return new UserError({ ...cause, place: { file } });
}

/** Runs a file operation and puts its failure into words. */
export async function telling<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storeError(error, file);
  }
}

/** A file of the store that cannot be read. */
export function brokenFile(file: string, en: string, zh: string): UserError {
  return userError(
    'broken-run',
    en,
    zh,
    'The folder may be damaged; other runs are not affected. Delete it if it is of no use.',
    '该目录可能已损坏，不影响其他运行；如无用可删除。',
    { file },
  );
}
