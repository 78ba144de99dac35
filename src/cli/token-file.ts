import { closeSync, fstatSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { userError } from '../core/index.ts';
import type { UserError } from '../core/index.ts';
import { makeToken } from '../web/index.ts';

const leastLetters = 32;

/** The token that a file keeps; made where there is no file yet, for this user alone. */
export function tokenOf(file: string): string {
  let handle: number;
  try {
    handle = openSync(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw cannot(file, error);
    return makeTokenFile(file);
  }
  try {
    const facts = fstatSync(handle);
    if (!facts.isFile()) throw bad(`${file} is not a file`, `${file} 不是文件`);
    if (process.platform !== 'win32' && (facts.mode & 0o077) !== 0)
      throw bad(`${file} can be read by other users: chmod 600`, `${file} 可被其他用户读取：请 chmod 600`);
    const token = facts.size > 4096 ? '' : readFileSync(handle, 'utf8').trim();
    if (token.length >= leastLetters && /^[\w.~-]+$/.test(token)) return token;
    throw bad(
      `${file} holds no token: ${leastLetters} letters and digits or more`,
      `${file} 中没有令牌：至少 ${leastLetters} 个字母或数字`,
    );
  } finally {
    closeSync(handle);
  }
}

function makeTokenFile(file: string): string {
  const token = makeToken();
  try {
    writeFileSync(file, `${token}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw cannot(file, error);
  }
  return token;
}

function cannot(file: string, error: unknown): UserError {
  const { code } = error as NodeJS.ErrnoException;
  return bad(`${file} cannot be opened (${code})`, `无法打开 ${file}（${code}）`);
}

function bad(en: string, zh: string): UserError {
  return userError(
    'bad-value',
    en,
    zh,
    'Name a file of your own; where there is none, one is made with a new token.',
    '请给出自己的文件；没有则会创建一个含新令牌的文件。',
    '--token-file',
  );
}
