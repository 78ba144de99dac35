import { halfUlp } from '../../core/index.ts';
import type { Summary } from '../../core/index.ts';

/** A number, not null, not undefined: imported counts may be null although core types them as numbers. */
export function known(value: number | null | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value);
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
