import { userError } from '../../core/index.ts';
import type { Phrase } from '../../core/index.ts';

/** One setting of a plan: the same word as a flag (`--max-tokens`), in YAML (`max-tokens`) and in a web form. */
export interface Setting<T> {
  /** Without dashes: `max-tokens`. */
  name: string;
  short?: string;
  /** What stands behind the flag in help; null = a switch. */
  value: string | null;
  /** May be given several times; `comma` = one text may also hold several values with commas between them. */
  repeat?: 'repeat' | 'comma';
  help: Phrase;
  /** Reads the texts given (one, unless it repeats). Throws a UserError whose place readVocabulary fills in. */
  read(texts: readonly string[]): T;
}

/** A setting that takes one text. `usage` is its flag as help shows it, without dashes: `max-tokens COUNT`; `en` and `zh` are the help. */
export function one<T>(
  usage: string,
  read: (text: string) => T,
  en: string,
  zh: string,
  more: Pick<Setting<T>, 'short'> = {},
): Setting<T> {
  return { ...spelled(usage), ...more, help: { en, zh }, read: (texts) => read(texts.at(-1)!) };
}

/** A setting that may be given several times. */
export function many<T>(usage: string, read: (text: string) => T, en: string, zh: string): Setting<T[]> {
  return { ...spelled(usage), repeat: 'repeat', help: { en, zh }, read: (texts) => texts.map(read) };
}

/** A setting that takes several texts, also with commas between them. */
export function list<T>(usage: string, read: (text: string) => T, en: string, zh: string): Setting<T[]> {
  const parts = (text: string): string[] => text.split(',').map((part) => part.trim());
  return { ...spelled(usage), repeat: 'comma', help: { en, zh }, read: (texts) => texts.flatMap(parts).map(read) };
}

function spelled(usage: string): Pick<Setting<unknown>, 'name' | 'value'> {
  const [name = ''] = usage.split(' ', 1);
  return { name, value: usage.slice(name.length + 1) };
}

/** A switch: present or `true` is true, `false` in a file is false. */
export function flag(name: string, en: string, zh: string): Setting<boolean> {
  return {
    name,
    value: null,
    help: { en, zh },
    read: (texts) => {
      const text = texts.at(-1)!;
      if (text === 'true' || text === 'false') return text === 'true';
      throw userError(
        'bad-value',
        `"${text}" is neither true nor false`,
        `"${text}" 不是 true 或 false`,
        'Write true or false, or leave it out.',
        '请写 true 或 false，或去掉此项。',
      );
    },
  };
}
