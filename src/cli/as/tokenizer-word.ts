import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../inputs/dataset/index.ts';
import { remark } from '../command.ts';
import type { ParsedCommand } from '../command.ts';

/**
 * The tokenizer that a command names, where it lies on this machine; else the one that estimates (about a token per six
 * letters or two Chinese characters), which is said: the other tool would have downloaded it, nothing is fetched here.
 */
export function tokenizerOr(given: ParsedCommand, named: string | undefined): string {
  if (named !== undefined && isTokenizer(named)) return named;
  const what = named ?? '–';
  remark(
    given,
    `note: no tokenizer.json at ${what}; prompt lengths are estimated (the server's usage counts what was used)`,
    `提示：${what} 下没有 tokenizer.json；提示词长度为估计值（实际用量以服务器 usage 为准）`,
  );
  return join(packageRoot(), 'data/tokenizers/estimate');
}

function isTokenizer(path: string): boolean {
  if (!existsSync(path)) return false;
  return statSync(path).isDirectory() ? existsSync(join(path, 'tokenizer.json')) : path.endsWith('.json');
}
