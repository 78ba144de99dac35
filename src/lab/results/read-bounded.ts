import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { userError, UserError } from '../../core/index.ts';
import type { Phrase, Place } from '../../core/index.ts';

/** At most so many bytes of a file's beginning, as text. A UserError where it cannot be read. */
export function readBeginning(file: string, mostBytes: number, place: Place): string {
  try {
    return firstBytes(file, mostBytes).toString('utf8');
  } catch (error) {
    throw unreadable(error, { ...place, file });
  }
}

/** Documents that people write (plans, settings, certificates) are far smaller. */
const mostDocumentBytes = 1024 * 1024;

/** The text of a whole document, also from a pipe: no more is read than a document may have. A UserError where it cannot be read. */
export function readDocument(
  file: string,
  told: { code?: string; hint?: Phrase; place?: Place } = {},
  mostBytes: number = mostDocumentBytes,
): string {
  const { code = 'file-unreadable', hint = readHint, place } = told;
  const wrong = (en: string, zh: string): UserError =>
    new UserError({ code, message: { en, zh }, hint, place: { ...place, file } });
  let text: Buffer;
  try {
    text = firstBytes(file, mostBytes + 1);
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? 'error';
    throw wrong(`cannot read it (${why})`, `无法读取（${why}）`);
  }
  if (text.length > mostBytes)
    throw wrong(
      `has more than ${mostBytes} bytes: not a document of this kind`,
      `超过 ${mostBytes} 字节，不是此类文件`,
    );
  return text.toString('utf8');
}

function firstBytes(file: string, mostBytes: number): Buffer {
  const handle = openSync(file, 'r');
  try {
    const pieces: Buffer[] = [];
    for (let bytes = 0; bytes < mostBytes;) {
      const piece = Buffer.allocUnsafe(Math.min(64 * 1024, mostBytes - bytes));
      const got = readSync(handle, piece, 0, piece.length, null);
      if (got === 0) break;
      pieces.push(piece.subarray(0, got));
      bytes += got;
    }
    return Buffer.concat(pieces);
  } finally {
    closeSync(handle);
  }
}

const readHint: Phrase = { en: 'Check the path and its permissions.', zh: '请检查路径与权限。' };

/** The JSON of a whole file of at most so many bytes, and its permission bits. A UserError where it is not that. */
export function readJson(file: string, mostBytes: number, place: Place): { json: unknown; mode: number } {
  const text = readBeginning(file, mostBytes + 1, place);
  const { size, mode } = statSync(file);
  if (size > mostBytes) {
    throw userError(
      'file-too-large',
      `has ${size} bytes, more than ${mostBytes}`,
      `有 ${size} 字节，超过 ${mostBytes}`,
      'Is it the right file?',
      '请确认是否为正确的文件。',
      { ...place, file },
    );
  }
  try {
    return { json: JSON.parse(text.replace(/^\uFEFF/, '')), mode: mode & 0o777 };
  } catch (error) {
    const why = (error as Error).message.slice(0, 120);
    throw userError(
      'bad-json',
      `not JSON: ${why}`,
      `JSON 语法错误：${why}`,
      'JSON has no comments and no comma after the last entry.',
      'JSON 不允许注释，也不允许末尾多余的逗号。',
      { ...place, file },
    );
  }
}

/** Endings of weight files, the ones that engines prefer first: a folder may hold the same weights twice. */
const weightEndings = ['.safetensors', '.bin', '.pt', '.pth', '.gguf'];

/** Bytes of the weights in a folder. */
export function weightsInFolder(folder: string, place: Place): number {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    throw unreadable(error, { ...place, file: folder });
  }
  for (const ending of weightEndings) {
    const files = names.filter(
      (name) => name.endsWith(ending) && !/^(training_args|optimizer|scheduler|rng_state|consolidated)/.test(name),
    );
    const bytes = files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    if (bytes > 0) return bytes;
  }
  throw userError(
    'no-weights-in-folder',
    'holds no weights',
    '目录中没有权重文件',
    `Give the folder with the ${weightEndings.join(', ')} files.`,
    `请给出含 ${weightEndings.join('、')} 文件的目录。`,
    { ...place, file: folder },
  );
}

function unreadable(error: unknown, place: Place): UserError {
  const code = (error as NodeJS.ErrnoException).code ?? 'error';
  const [en, zh] =
    code === 'EISDIR'
      ? ['is a folder; a file is needed', '是目录，此处需要文件']
      : [`cannot be read (${code})`, `无法读取（${code}）`];
  return new UserError({ code: 'file-unreadable', message: { en, zh }, hint: readHint, place });
}
