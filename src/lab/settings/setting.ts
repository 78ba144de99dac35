import type { Phrase } from '../../core/index.ts';

/** Why a value cannot be taken, in words; the place is added by whoever knows it. */
export class BadValue extends Error {
  override name = 'BadValue';
  readonly says: Phrase;
  readonly hint: Phrase;

  constructor(says: Phrase, hint: Phrase) {
    super(says.en);
    this.says = says;
    this.hint = hint;
  }
}

/** One setting of a plan: the same word as a flag (`--max-tokens`), in YAML (`max-tokens`) and in a web form. */
export interface Setting<T> {
  /** Without dashes: `max-tokens`. */
  name: string;
  short?: string;
  /** What stands behind the flag in help; null = a switch. */
  value: string | null;
  /** May be given several times; a list is also taken comma-separated when `separator` is set. */
  repeat?: 'repeat' | 'comma';
  help: Phrase;
  /** Reads the texts given (one, unless it repeats). Throws BadValue. */
  read(texts: readonly string[]): T;
}

/** A setting that takes one text. `value` is what stands behind the flag in help; `en` and `zh` are the help. */
export function one<T>(
  name: string,
  value: string,
  read: (text: string) => T,
  en: string,
  zh: string,
  more: Pick<Setting<T>, 'short'> = {},
): Setting<T> {
  return { name, value, ...more, help: { en, zh }, read: (texts) => read(texts.at(-1)!) };
}

/** A setting that takes several texts: repeated, or comma-separated where a comma cannot be part of a value. */
export function many<T>(
  name: string,
  value: string,
  repeat: 'repeat' | 'comma',
  read: (text: string) => T,
  en: string,
  zh: string,
): Setting<T[]> {
  const split = (text: string): string[] => (repeat === 'comma' ? text.split(',').map((part) => part.trim()) : [text]);
  return { name, value, repeat, help: { en, zh }, read: (texts) => texts.flatMap(split).map(read) };
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
      throw new BadValue(
        { en: `"${text}" is neither true nor false`, zh: `"${text}" 不是 true 或 false` },
        { en: 'Write true or false, or leave it out.', zh: '请写 true 或 false，或去掉此项。' },
      );
    },
  };
}
