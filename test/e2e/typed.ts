import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { emptyFolder } from './dyno.ts';

const main = join(import.meta.dirname, '../../dist/cli/main.js');

/** A folder with a command called dyno on the path of its shell. */
export interface Shell {
  folder: string;
  /** Runs a line as somebody types it; a server that it names is one of the loopback that nobody runs. */
  type(line: string): Promise<{ code: number; out: string }>;
}

export async function shellWithDyno(): Promise<Shell> {
  const folder = await emptyFolder();
  await mkdir(join(folder, 'bin'));
  const file = join(folder, 'bin', 'dyno');
  await writeFile(file, `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`);
  await chmod(file, 0o755);
  const env = { PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH']}`, LANG: 'C' };
  return {
    folder,
    type(line) {
      const words = line.replace(/http:\/\/[^\s:]+:8000/, 'http://127.0.0.1:1');
      return new Promise((resolve) =>
        execFile('/bin/sh', ['-c', words], { cwd: folder, env, timeout: 60_000 }, (error, out) =>
          resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, out }),
        ),
      );
    },
  };
}

/** What the product tells its user to type: from the word dyno to the end of the line or of that part of it. */
export function commandsIn(out: string): string[] {
  const unfolded = out.replaceAll('\n    ', ' ');
  return [...unfolded.matchAll(/\bdyno (?:report|runs|find|compare)\b[^·\n]*/g)].map(([line]) => line.trim());
}
