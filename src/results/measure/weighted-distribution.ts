import { percentileRanks, slowRanks } from '../../core/index.ts';
import type { Distribution, PercentileKey, SpeedDistribution } from '../../core/index.ts';

/**
 * Quantile q of ascending values with weights. Lay the values on a line, each as long as its weight, W in all; X(t) is
 * the value at t. With h = (W − 1)·q and k = ⌊h⌋ the quantile is X(k) + (h − k)·(X(k + 1) − X(k)); beyond the ends X
 * is the first or the last value. For whole weights this is Hyndman & Fan type 7 of the values repeated by their weight.
 * `cumulative[i]` is the sum of the weights up to and including i.
 */
export function weightedQuantile(
  ascending: ArrayLike<number>,
  cumulative: ArrayLike<number>,
  q: number,
): number | null {
  const count = ascending.length;
  if (count === 0) return null;
  const h = Math.max(0, (cumulative[count - 1]! - 1) * q);
  const k = Math.floor(h);
  const low = ascending[indexAt(cumulative, k)]!;
  const high = ascending[indexAt(cumulative, k + 1)]!;
  return low === high ? low : Math.min(high, low + (h - k) * (high - low));
}

/** The distribution of ascending values with weights; n is the whole weight, rounded. null for no values. */
export function weightedDistribution(ascending: ArrayLike<number>, weights: ArrayLike<number>): Distribution | null {
  const count = ascending.length;
  if (count === 0) return null;
  const cumulative = new Float64Array(count);
  let weight = 0;
  let sum = 0;
  for (let i = 0; i < count; i++) {
    weight += weights[i]!;
    sum += weights[i]! * ascending[i]!;
    cumulative[i] = weight;
  }
  const percentiles = {} as Record<PercentileKey, number | null>;
  for (const rank of percentileRanks) percentiles[`p${rank}`] = weightedQuantile(ascending, cumulative, rank / 100);
  const [min, max] = [ascending[0]!, ascending[count - 1]!];
  return { mean: clamp(sum / weight, min, max), min, max, ...percentiles, n: Math.round(weight) };
}

/** The slow users among ascending speeds with weights. */
export function slowOf(
  ascending: ArrayLike<number>,
  weights: ArrayLike<number>,
): Pick<SpeedDistribution, 'p1' | 'p10'> {
  let sum = 0;
  const cumulative = Array.from(weights, (weight) => (sum += weight));
  return Object.fromEntries(slowRanks.map((rank) => [`p${rank}`, weightedQuantile(ascending, cumulative, rank / 100)]));
}

/** A mean of rounded products may leave the range by a last digit. */
function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}

/** The first index whose cumulative weight lies beyond t; the last index where none does. */
function indexAt(cumulative: ArrayLike<number>, t: number): number {
  let low = 0;
  let high = cumulative.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (cumulative[middle]! > t) high = middle;
    else low = middle + 1;
  }
  return low;
}
