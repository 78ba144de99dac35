import { userError } from '../core/index.ts';
import { one } from '../lab/index.ts';
import { formatNames } from '../tools/index.ts';
import type { FormatName } from '../tools/index.ts';

/** The flag --format of commands that read other tools' files. */
export function formatFlag(en: string, zh: string): ReturnType<typeof one<FormatName>> {
  return one('format NAME', formatNamed, en, zh);
}

/** The format of that name; a UserError that lists them where there is none. */
export function formatNamed(text: string): FormatName {
  const name = formatNames.find((known) => known === text);
  if (name !== undefined) return name;
  throw userError(
    'unknown-format',
    `there is no format "${text}"`,
    `没有 "${text}" 这种格式`,
    `Choose one of: ${formatNames.join(', ')}.`,
    `可选：${formatNames.join('、')}。`,
  );
}
