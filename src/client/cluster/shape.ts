import { isObject } from '../../core/index.ts';

/** Whether a value of a stranger is what it should be. */
export type Check = (value: unknown) => boolean;

/** How each member of `T` is checked; the compiler refuses a shape that has another member, or misses one. */
export type Shape<T> = { readonly [K in keyof T]-?: Check };

export function isNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export const isFlag: Check = (value) => typeof value === 'boolean';

export function orNull(is: Check): Check {
  return (value) => value === null || is(value);
}

/** A member that may be left out. */
export function orAbsent(is: Check): Check {
  return (value) => value === undefined || is(value);
}

export function listOf(is: Check, most = Infinity): Check {
  return (value) => Array.isArray(value) && value.length <= most && value.every((one) => is(one));
}

/** A list of numbers, written out: most of what comes from workers is times of tokens. */
export function isNumbers(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  for (let i = 0; i < value.length; i++) if (!Number.isFinite(value[i])) return false;
  return true;
}

/** An object whose members pass their checks; members without a check are ignored. */
export function objectOf<T>(shape: Shape<T>): Check {
  const names = Object.keys(shape);
  const checks = Object.values<Check>(shape);
  return (value) => {
    if (!isObject(value)) return false;
    for (let i = 0; i < names.length; i++) if (!checks[i]!(value[names[i]!])) return false;
    return true;
  };
}
