import { createReadStream } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { printable, userError } from '../../core/index.ts';
import type { Lang } from '../../core/index.ts';
import { joinFiles, lineImporter, sniff } from '../../tools/index.ts';
import type { DraftFile, FormatName, Imported, ImportProblem } from '../../tools/index.ts';
import { importDocument } from './import-whole.ts';

/** Files that have to be read whole are refused above this; running text has no limit. */
const mostWholeBytes = 400 * 1024 * 1024;
const headBytes = 65536;
/** A longer line is data of another kind; it is skipped, its number still counts. */
const longestLine = 1024 * 1024;
const deepestFolder = 6;
const mostFiles = 5000;
/** What is looked for in a folder; a file that is named by itself may have any name. */
const knownNames = /\.(?:md|markdown|txt|log|json|jsonl|csv|db)$/i;

/** Reads every file (a folder stands for the files in it) and puts together what belongs together. */
export async function importPaths(paths: readonly string[], format: FormatName): Promise<Imported> {
  const whole: DraftFile[] = [];
  const sweeps: Imported['sweeps'] = [];
  const problems: ImportProblem[] = [];
  for (const path of paths) {
    const inFolder = (await kindOf(path)) === 'folder';
    for (const file of inFolder ? await filesBelow(path, 0) : [path]) {
      const read = await readOne(file, format, inFolder);
      if ('drafts' in read) whole.push(read);
      else {
        // One by one: a file may hold more of them than a call takes arguments.
        for (const sweep of read.sweeps) sweeps.push(sweep);
        for (const one of read.problems) problems.push(one);
      }
    }
  }
  const joined = joinFiles(whole);
  return { sweeps: [...sweeps, ...joined.sweeps], problems: [...problems, ...joined.problems] };
}

async function readOne(file: string, format: FormatName, inFolder: boolean): Promise<DraftFile | Imported> {
  const { head, size } = await readHead(file);
  const kind = sniff(head, file);
  if (kind === 'lines') return importLines(file, format);
  if (kind === 'compressed' || kind === 'binary') {
    // In a folder, pictures and archives are no mistake of anybody's.
    const refused =
      kind === 'compressed'
        ? problem(file, 'is compressed: unpack it first', '文件已压缩：请先解压')
        : problem(file, 'is not text and not a database', '既不是文本也不是数据库');
    return { sweeps: [], problems: inFolder ? [] : [refused] };
  }
  if (size > mostWholeBytes) {
    return {
      sweeps: [],
      problems: [
        problem(file, `is too large to be read whole (${size} bytes)`, `文件过大，无法整体读取（${size} 字节）`),
      ],
    };
  }
  const read = await importDocument({ file, kind, format }, size);
  if (kind === 'sqlite' || !('drafts' in read)) return read;
  return inFolder && read.drafts.length === 0 ? { ...read, problems: [] } : read;
}

function problem(file: string, message: string, zh: string): ImportProblem {
  return { file, line: 0, message, zh };
}

/** Running text, in pieces: only the unfinished line is held. */
async function importLines(file: string, format: FormatName): Promise<Imported> {
  const importer = lineImporter(file, format);
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let tooLong = false;
  const take = (piece: string): void => {
    const lines = piece.split('\n');
    const last = lines.pop()!;
    for (const line of lines) {
      importer.line(tooLong ? '' : rest + line);
      rest = '';
      tooLong = false;
    }
    if (tooLong) return;
    rest += last;
    if (rest.length <= longestLine) return;
    tooLong = true;
    rest = '';
  };
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 18 })) take(decoder.write(chunk as Buffer));
  take(decoder.end());
  if (rest !== '') importer.line(rest);
  return importer.end();
}

async function readHead(file: string): Promise<{ head: Uint8Array; size: number }> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const buffer = Buffer.alloc(Math.min(size, headBytes));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    return { head: buffer.subarray(0, bytesRead), size };
  } finally {
    await handle.close();
  }
}

/** What a path names; a UserError where it names nothing that can be read. */
export async function kindOf(path: string): Promise<'file' | 'folder'> {
  let why = 'not a file or folder';
  try {
    const found = await stat(path);
    if (found.isFile()) return 'file';
    if (found.isDirectory()) return 'folder';
  } catch (error) {
    why = (error as NodeJS.ErrnoException).code ?? 'error';
  }
  throw userError(
    'file-unreadable',
    `cannot be read (${why})`,
    `无法读取（${why}）`,
    'Give a document, a log, a result file, or a folder of them.',
    '请给出文档、日志、结果文件或其所在目录。',
    { file: path },
  );
}

async function filesBelow(folder: string, depth: number): Promise<string[]> {
  const files: string[] = [];
  const entries = (await readdir(folder, { withFileTypes: true })).toSorted((a, b) =>
    a.name.localeCompare(b.name, 'en', { numeric: true }),
  );
  for (const entry of entries) {
    if (files.length >= mostFiles || entry.name.startsWith('.')) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth < deepestFolder) files.push(...(await filesBelow(path, depth + 1)));
    else if (entry.isFile() && knownNames.test(entry.name)) files.push(path);
  }
  return files;
}

/** What could not be imported, one line each; names of files and what stands in them are a stranger's words. */
export function problemLines(problems: readonly ImportProblem[], lang: Lang): string {
  return problems
    .map(({ file, line, message, zh }) => {
      const at = line > 0 ? `:${line}` : '';
      return `${printable(file)}${at}: ${printable(lang === 'zh' ? zh : message)}\n`;
    })
    .join('');
}
