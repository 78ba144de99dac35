import { mostOf } from '../../core/index.ts';

/** Mean and greatest of a series. */
export interface MeanMax {
  mean: number;
  max: number;
}

/** Mean and greatest of what is known; null = nothing is. */
export function meanMax(values: readonly (number | null | undefined)[]): MeanMax | null {
  const known = values.filter((value): value is number => typeof value === 'number');
  if (known.length === 0) return null;
  return { mean: known.reduce((sum, value) => sum + value, 0) / known.length, max: mostOf(known) };
}

/**
 * How much a counter grew over a series of readings. A counter that falls was reset by a restart of the server and counts
 * on from zero. null = fewer than two readings.
 */
export function growth(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  if (known.length < 2) return null;
  let total = 0;
  for (let at = 1; at < known.length; at++) {
    const step = known[at]! - known[at - 1]!;
    total += step >= 0 ? step : known[at]!;
  }
  return total;
}

/** The area under samples between two moments, straight lines between them and level beyond their ends; null = no samples. */
export function areaUnder(
  samples: readonly { atMs: number; value: number }[],
  fromMs: number,
  toMs: number,
): number | null {
  if (samples.length === 0 || toMs <= fromMs) return null;
  const first = samples[0]!;
  const last = samples.at(-1)!;
  const points = [
    { atMs: Math.min(fromMs, first.atMs), value: first.value },
    ...samples,
    { atMs: Math.max(toMs, last.atMs), value: last.value },
  ];
  let area = 0;
  for (let at = 1; at < points.length; at++) {
    const [a, b] = [points[at - 1]!, points[at]!];
    const [start, end] = [Math.max(a.atMs, fromMs), Math.min(b.atMs, toMs)];
    if (end <= start) continue;
    const slope = b.atMs > a.atMs ? (b.value - a.value) / (b.atMs - a.atMs) : 0;
    const level = (ms: number): number => a.value + slope * (ms - a.atMs);
    area += ((level(start) + level(end)) / 2) * (end - start);
  }
  return area;
}
