import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exitCodes, userError } from '../core/index.ts';
import type { StoredTune } from '../results/store/index.ts';
import { tuneSchema } from '../advice/tune/index.ts';
import { printJson } from './command.ts';
import type { ParsedCommand } from './command.ts';
import { columnsOf } from './terminal.ts';
import { tuneText } from '../lab/index.ts';

/** A search of the store as `dyno tune` told it at its end, or as far as it is. */
export async function showTune(given: ParsedCommand, { dir }: StoredTune): Promise<number> {
  const file = join(dir, 'tune.json');
  const read = tuneSchema.safeParse(JSON.parse(await readFile(file, 'utf8')));
  if (!read.success) {
    throw userError(
      'broken-run',
      'it does not have the expected shape',
      '内容不符合格式',
      'Another version may have written it.',
      '可能由其他版本写入。',
      { file },
    );
  }
  const { io, common } = given;
  if (common.json) printJson(given, read.data);
  else io.out(tuneText(read.data, common.lang, columnsOf(io)));
  return exitCodes.ok;
}
