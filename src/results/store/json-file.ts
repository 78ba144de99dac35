import { randomBytes } from 'node:crypto';
import { access, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { userError } from '../../core/index.ts';
import { storeModes } from './store-modes.ts';
import { syncFile } from './sync-file.ts';
import { brokenFile, systemCode, telling } from './store-error.ts';

/** Whatever llmdyno writes as one document is far smaller. */
const mostBytes = 64 * 1024 * 1024;

interface Checker<T> {
  safeParse(
    value: unknown,
  ): { success: true; data: T } | { success: false; error: { issues: { path: PropertyKey[]; message: string }[] } };
}

/** Whether there is such a file or folder that this process can reach. */
export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Parses JSON of a stranger; a key that would reach an object's prototype is left out. */
export function parseJson(text: string): unknown {
  return text.includes('__proto__')
    ? JSON.parse(text, (key, value: unknown) => (key === '__proto__' ? undefined : value))
    : JSON.parse(text);
}

/** Reads a JSON file and checks its version word (`llmdyno.run/1`) and its shape; null where there is no such file. */
export async function readJsonFile<T>(file: string, version: string, checker: Checker<T>): Promise<T | null> {
  let text: string;
  try {
    if ((await stat(file)).size > mostBytes)
      throw brokenFile(file, `is larger than ${mostBytes} bytes`, `大于 ${mostBytes} 字节`);
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return null;
    return telling(file, () => Promise.reject(error as Error));
  }
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    throw brokenFile(file, 'is not JSON', '不是有效的 JSON');
  }
  checkVersion(file, version, value);
  const checked = checker.safeParse(value);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  const where = issue?.path.map(String).join('.') ?? '';
  throw brokenFile(
    file,
    `does not have the expected shape: ${where}: ${issue?.message ?? ''}`,
    `内容不符合格式：${where}: ${issue?.message ?? ''}`,
  );
}

function checkVersion(file: string, version: string, value: unknown): void {
  const found = typeof value === 'object' && value !== null ? (value as { schema?: unknown }).schema : undefined;
  if (found === version) return;
  const family = version.slice(0, version.indexOf('/') + 1);
  if (typeof found !== 'string' || !found.startsWith(family))
    throw brokenFile(file, `is not a ${version} file`, `不是 ${version} 文件`);
  throw userError(
    'unknown-version',
    `was written as ${found.slice(0, 40)}; this llmdyno reads ${version}`,
    `文件版本为 ${found.slice(0, 40)}，本版本只能读取 ${version}`,
    'Use a newer llmdyno to read it.',
    '请使用更新版本的 llmdyno 读取。',
    { file },
  );
}

/** Writes a JSON file so that a reader sees the old one or the new one, never a part: temporary file, sync, rename. */
export async function writeJsonFile(file: string, value: unknown): Promise<void> {
  const temporary = join(dirname(file), `.${randomBytes(6).toString('hex')}.tmp`);
  await telling(file, async () => {
    try {
      const handle = await open(temporary, 'wx', storeModes().file);
      try {
        await handle.writeFile(`${JSON.stringify(value, null, 2)}\n`);
        await syncFile(handle);
      } finally {
        await handle.close();
      }
      await rename(temporary, file);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  });
}
