import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Mistake } from '../../core/index.ts';
import { mistake } from '../../core/index.ts';
import { indentOf, parsePath, putAt, valueAt } from './json-path.ts';
import type { ServerWords } from './server-words.ts';
import type { Settings } from './setting.ts';

/** Settings of a server are far smaller. */
const mostConfigBytes = 4 * 1024 * 1024;

type ConfigWords = ServerWords['configs'][number];

/** What a config file held before it was touched. */
export interface SavedConfig {
  file: string;
  bytes: Buffer;
  mode: number;
}

export function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Everything that is wrong with a config file before the first edit: missing, read-only, no JSON, a path it does not have. */
export async function configMistakes(config: ConfigWords): Promise<Mistake[]> {
  const { file } = config;
  const wrong = (code: string, en: string, zh: string, hintEn: string, hintZh: string): Mistake =>
    mistake(code, en, zh, hintEn, hintZh, { file });
  let document: unknown;
  try {
    const { size } = await stat(file);
    if (size > mostConfigBytes) throw new Error('too large');
    document = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    const cause = (error as NodeJS.ErrnoException).code;
    return [
      cause === undefined
        ? wrong(
            'config-not-json',
            'is not JSON',
            '不是有效的 JSON',
            'Mend the file first; comments are not allowed in JSON.',
            '请先修正文件；JSON 中不允许注释。',
          )
        : wrong(
            'config-unreadable',
            `cannot be read (${cause})`,
            `无法读取（${cause}）`,
            'Check apply.config[].file in the tune file.',
            '请检查 tune 文件中的 apply.config[].file。',
          ),
    ];
  }
  const mistakes: Mistake[] = [];
  const writable = await isWritable(file);
  if (!writable) {
    mistakes.push(
      wrong(
        'config-read-only',
        'is read-only: settings cannot be applied',
        '只读，无法应用设置',
        'Make it and its folder writable, or run as the user that owns it. Nothing was changed.',
        '请使文件及其目录可写，或以其所有者运行。未做任何修改。',
      ),
    );
  }
  for (const [name, path] of Object.entries(config.set)) {
    if (parsePath(path) !== null && (config.create || valueAt(document, path) !== undefined)) continue;
    const near = nearestKey(document, path);
    mistakes.push(
      wrong(
        'unknown-json-path',
        `has no "${path}" (for the setting ${name})`,
        `没有 "${path}"（设置 ${name}）`,
        near === null
          ? 'Check the path; create: true makes it.'
          : `Did you mean ${near}? create: true makes a new one.`,
        near === null ? '请检查路径；create: true 可新建。' : `是否想写 ${near}？create: true 可新建。`,
      ),
    );
  }
  return mistakes;
}

/** A writable file in a folder where a new file can be renamed over it. */
async function isWritable(file: string): Promise<boolean> {
  try {
    await access(file, constants.W_OK);
    const { mode } = await stat(file);
    // The superuser may write anything; a file that is marked read-only is left alone all the same.
    if ((mode & 0o222) === 0) return false;
    await access(dirname(file), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** A path of the document that ends with the same key, in any case. */
function nearestKey(document: unknown, path: string): string | null {
  const wanted = String(parsePath(path)?.at(-1) ?? path).toLowerCase();
  const queue: { node: unknown; at: string }[] = [{ node: document, at: '' }];
  for (let i = 0; i < queue.length && i < 5000; i++) {
    const { node, at } = queue[i]!;
    if (typeof node !== 'object' || node === null) continue;
    for (const [key, value] of Object.entries(node)) {
      const here = Array.isArray(node) ? `${at}[${key}]` : at === '' ? key : `${at}.${key}`;
      if (key.toLowerCase() === wanted) return here;
      queue.push({ node: value, at: here });
    }
  }
  return null;
}

/** The original bytes and mode of a config file. */
export async function saveConfig(file: string): Promise<SavedConfig> {
  const [bytes, { mode }] = await Promise.all([readFile(file), stat(file)]);
  return { file, bytes, mode };
}

/** The text of a config with settings put in; everything else stays as it was. */
export function editedConfig(original: string, config: ConfigWords, settings: Settings): string {
  const document: unknown = JSON.parse(original);
  for (const [name, path] of Object.entries(config.set)) {
    const value = settings[name];
    if (value !== undefined) putAt(document, path, value, config.create);
  }
  return `${JSON.stringify(document, null, indentOf(original))}\n`;
}

/** Replaces a file whole or not at all, keeping its mode. */
export async function replaceFile(file: string, bytes: Uint8Array | string, mode: number): Promise<void> {
  const half = join(dirname(file), `.dyno-tune-${process.pid}.part`);
  try {
    await writeFile(half, bytes, { mode: mode & 0o777, flush: true });
    await rename(half, file);
  } catch (error) {
    await rm(half, { force: true });
    throw error;
  }
}
