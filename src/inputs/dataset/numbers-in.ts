import { UserError } from '../../core/index.ts';
import { badPart } from './made-mistakes.ts';

/** `a=1,b=2` read against names with their defaults. */
export function numbersIn<T extends Record<string, number>>(kind: string, text: string, defaults: T): T {
  const found: Record<string, number> = { ...defaults };
  for (const part of text === '' ? [] : text.split(',')) {
    const [name = '', value = ''] = part.split('=');
    const number = value.trim() === '' ? Number.NaN : Number(value);
    if (!Object.hasOwn(defaults, name.trim()) || !Number.isFinite(number) || number < 0) {
      throw new UserError(badPart(kind, part, Object.keys(defaults)));
    }
    found[name.trim()] = number;
  }
  return found as T;
}
