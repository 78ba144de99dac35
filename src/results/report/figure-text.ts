import type { Counts, Summary } from '../../core/index.ts';

/** Stands for a figure that is not known. */
export const unknown = '–';

/** A number with so many decimals, or the mark for unknown. */
export function fixed(value: number | null | undefined, decimals: number): string {
  return value === null || value === undefined || !Number.isFinite(value) ? unknown : value.toFixed(decimals);
}

/** Numbers that stand beside each other, all with the decimals that suit the largest of them. */
export function sizedTogether(values: readonly (number | null | undefined)[]): string[] {
  const known = values.filter((value): value is number => typeof value === 'number' && Number.isFinite(value));
  const largest = known.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const whole = known.every((value) => Number.isInteger(value));
  const decimals = whole || largest >= 10_000 ? 0 : largest >= 1000 ? 1 : largest >= 10 ? 2 : 3;
  return values.map((value) => fixed(value, decimals));
}

/** A number with decimals that suit its size. */
export function sized(value: number | null | undefined): string {
  return sizedTogether([value])[0]!;
}

/** A ratio in percent. */
export function percent(ratio: number | null | undefined): string {
  return ratio === null || ratio === undefined || !Number.isFinite(ratio) ? unknown : `${(ratio * 100).toFixed(1)} %`;
}

/** A count; an imported table may not say it. */
export function countOf(counts: Counts, key: Exclude<keyof Counts, 'byProblem'>): number | null {
  return counts[key] as number | null;
}

/** ms as seconds; null stays null. */
export function secondsOf(ms: number | null | undefined): number | null {
  return ms === null || ms === undefined ? null : ms / 1000;
}

/**
 * The digits for a figure: those that the imported source printed under `key`, as long as they say the same number in
 * the same unit; else the value with so many decimals. null for an unknown value.
 */
export function digitsFor(
  summary: Summary,
  key: string,
  value: number | null | undefined,
  decimals: number,
): string | null {
  if (value === null || value === undefined || !Number.isFinite(value)) return null;
  const printed = Object.hasOwn(summary.printed, key) ? summary.printed[key]! : '';
  const same = /^\d{1,15}(\.\d{1,15})?$/.test(printed) && Math.abs(Number(printed) - value) <= 1e-9 * Math.abs(value);
  return same ? printed : value.toFixed(decimals);
}
