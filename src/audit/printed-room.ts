import type { Summary } from '../core/index.ts';

/** A number, not null, not undefined: imported counts may be null although core types them as numbers. */
export function known(value: number | null | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** Half a unit of the last printed place. */
export function halfUlp(digits: string): number {
  const exponent = /e([+-]?\d+)$/i.exec(digits);
  const mantissa = exponent === null ? digits : digits.slice(0, exponent.index);
  const point = mantissa.indexOf('.');
  const decimals = point === -1 ? 0 : mantissa.length - point - 1;
  return 0.5 * 10 ** ((exponent === null ? 0 : Number(exponent[1])) - decimals);
}

/**
 * How far the true figure may be from `value` because of the digits it was printed with, in the summary's unit.
 * 0 for figures that were not printed (own runs keep full precision) and for printed counts.
 */
export function roomOf(point: Summary, key: string, value: number): number {
  if (!Object.hasOwn(point.printed, key)) return 0;
  const digits = point.printed[key]!;
  const printed = Number(digits);
  if (!Number.isFinite(printed) || printed === 0) return halfUlp(digits);
  return Math.abs(halfUlp(digits) * (value / printed));
}

/** The share of `value` that its digits leave open. */
export function relativeRoom(point: Summary, key: string, value: number): number {
  return value === 0 ? 0 : roomOf(point, key, value) / Math.abs(value);
}
