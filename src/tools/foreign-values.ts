import { isObject, jsonIn, userError, UserError } from '../core/index.ts';
import type { ForeignWords } from './foreign-flags.ts';

/** A whole number behind a flag; undefined = the flag was not given. */
export function wholeOf(words: ForeignWords, flag: string, least = 0): number | undefined {
  const text = words.last(flag);
  return text === undefined ? undefined : wholeIn(text, flag, least);
}

/** Whole numbers behind a flag, which may be repeated or take several. */
export function wholesOf(words: ForeignWords, flag: string, least = 0): number[] | undefined {
  return words.all(flag)?.map((text) => wholeIn(text, flag, least));
}

function wholeIn(text: string, flag: string, least: number): number {
  const value = /^[+-]?\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value) || value < least) {
    throw badValue(flag, text, `a whole number of at least ${least}`, `不小于 ${least} 的整数`);
  }
  return value;
}

/** A number behind a flag; `inf` is one. */
export function realOf(words: ForeignWords, flag: string, least = -Infinity): number | undefined {
  const text = words.last(flag);
  return text === undefined ? undefined : realIn(text, flag, least);
}

/** One number; `inf` is one. */
export function realIn(text: string, flag: string, least = -Infinity): number {
  const value = /^\+?inf(inity)?$/i.test(text.trim()) ? Infinity : text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isNaN(value) || value < least) {
    const bounded = Number.isFinite(least);
    throw badValue(
      flag,
      text,
      bounded ? `a number of at least ${least}` : 'a number',
      bounded ? `不小于 ${least} 的数` : '数字',
    );
  }
  return value;
}

/** A JSON object behind a flag. */
export function jsonOf(text: string, flag: string): Record<string, unknown> {
  const value = jsonIn(text);
  if (isObject(value)) return value;
  throw badValue(flag, text, 'a JSON object', 'JSON 对象');
}

/** `K=V` pairs behind a flag. */
export function pairsOf(words: ForeignWords, flag: string): [string, string][] {
  return (words.all(flag) ?? []).map((text) => {
    const at = text.indexOf('=');
    if (at <= 0) throw badValue(flag, text, 'KEY=VALUE', 'KEY=VALUE');
    return [text.slice(0, at), text.slice(at + 1)];
  });
}

/** One of a few words. */
export function choiceOf<T extends string>(words: ForeignWords, flag: string, choices: readonly T[]): T | undefined {
  const text = words.last(flag);
  if (text === undefined) return undefined;
  const found = choices.find((choice) => choice === text);
  if (found === undefined)
    throw badValue(flag, text, `one of: ${choices.join(', ')}`, `以下之一：${choices.join('、')}`);
  return found;
}

/** `True`, `false` … as Python's tools take them. */
export function truthOf(words: ForeignWords, flag: string): boolean | undefined {
  const text = words.last(flag);
  if (text === undefined) return undefined;
  if (/^(true|1|yes)$/i.test(text)) return true;
  if (/^(false|0|no)$/i.test(text)) return false;
  throw badValue(flag, text, 'True or False', 'True 或 False');
}

/** A flag that must be there. */
export function requiredOf(words: ForeignWords, flag: string): string {
  const text = words.last(flag);
  if (text !== undefined) return text;
  throw userError(
    'foreign-flag-missing',
    `${words.tool} needs it`,
    `${words.tool} 需要该选项`,
    `Add ${flag} VALUE.`,
    `请加上 ${flag} 值。`,
    flag,
  );
}

/** A value that a flag cannot take. */
export function badValue(flag: string, text: string, en: string, zh: string): UserError {
  return userError(
    'foreign-value',
    `"${text.slice(0, 200)}" is not ${en}`,
    `"${text.slice(0, 200)}" 不是${zh}`,
    `Give ${en}.`,
    `请给出${zh}。`,
    flag,
  );
}
