import { percentileRanks, slowRanks } from './summary.ts';
import type { Distribution, PercentileKey, SpeedDistribution } from './summary.ts';

/**
 * Quantile q of ascending values by linear interpolation between order statistics at (n − 1)·q
 * (Hyndman & Fan type 7; what NumPy, vLLM, MindIE and AISBench use). null for no values.
 */
export function quantile(ascending: ArrayLike<number>, q: number): number | null {
  const n = ascending.length;
  if (n === 0) return null;
  const at = (n - 1) * q;
  const below = Math.floor(at);
  const low = ascending[below]!;
  const high = ascending[Math.min(below + 1, n - 1)]!;
  // low + part·(high − low) keeps quantiles monotone and never leaves [low, high].
  return low === high ? low : Math.min(high, low + (at - below) * (high - low));
}

/** The word for `quantile` in Summary.percentileMethod. */
export const exactMethod = 'linear-interpolation (Hyndman-Fan 7)';

/** The distribution of a sample; sorts a copy. null for no values. */
export function distributionOf(values: ArrayLike<number>): Distribution | null {
  if (values.length === 0) return null;
  const ascending = Float64Array.from(values).sort();
  let sum = 0;
  for (const value of ascending) sum += value;
  const percentiles = {} as Record<PercentileKey, number | null>;
  for (const rank of percentileRanks) percentiles[`p${rank}`] = quantile(ascending, rank / 100);
  return {
    mean: sum / ascending.length,
    min: ascending[0]!,
    max: ascending[ascending.length - 1]!,
    ...percentiles,
    n: ascending.length,
  };
}

/** The same with its shape: how many values lie in each of ten equal stretches from the least to the largest. */
export function shapedDistributionOf(values: ArrayLike<number>): Distribution | null {
  const whole = distributionOf(values);
  return whole === null ? null : { ...whole, shape: shapeOf(values, whole.min!, whole.max!) };
}

const shapeCells = 10;

function shapeOf(values: ArrayLike<number>, min: number, max: number): number[] {
  const shape = Array.from({ length: shapeCells }, () => 0);
  const scale = max > min ? shapeCells / (max - min) : 0;
  for (let i = 0; i < values.length; i++) shape[Math.min(shapeCells - 1, Math.floor((values[i]! - min) * scale))]! += 1;
  return shape;
}

/** The same of a speed, with its slow users. */
export function speedDistributionOf(values: ArrayLike<number>): SpeedDistribution | null {
  const whole = shapedDistributionOf(values);
  if (whole === null) return null;
  const ascending = Float64Array.from(values).sort();
  const slow = Object.fromEntries(slowRanks.map((rank) => [`p${rank}`, quantile(ascending, rank / 100)]));
  return { ...whole, ...slow };
}

/** The mean of those that are known; null where none is. */
export function meanOf(values: readonly (number | null | undefined)[]): number | null {
  const known = values.filter((value) => typeof value === 'number');
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}
