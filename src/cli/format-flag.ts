import { userError } from '../core/index.ts';
import { formatNames } from '../tools/index.ts';
import type { FormatName } from '../tools/index.ts';
import { last } from './command.ts';
import type { ParsedCommand } from './command.ts';

/** The word of --format. */
export function formatOf(given: ParsedCommand): FormatName {
  const word = last(given, 'format') ?? 'auto';
  const name = formatNames.find((known) => known === word);
  if (name !== undefined) return name;
  throw userError(
    'unknown-format',
    `there is no format "${word}"`,
    `没有 "${word}" 这种格式`,
    `Choose one of: ${formatNames.join(', ')}.`,
    `可选：${formatNames.join('、')}。`,
    '--format',
  );
}
