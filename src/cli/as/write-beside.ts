import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { userError } from '../../core/index.ts';

/** Writes a file that the other tool would have written; its name never leads out of the folder. Gives the path. */
export async function writeBeside(folder: string, name: string, content: string | Uint8Array): Promise<string> {
  // Model names hold slashes; the tools that put them into file names break on them.
  const file = join(folder, name.replaceAll(/[/\\\0]/g, '_').replace(/^\.+/, '_'));
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(file, content);
    return file;
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    throw userError(
      'cannot-write',
      `cannot write ${file} (${why})`,
      `无法写入 ${file}（${why}）`,
      'Check the folder and its permissions, or go to another one.',
      '请检查目录与权限，或换一个目录。',
    );
  }
}
