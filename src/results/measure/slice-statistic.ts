import { quantile } from '../../core/index.ts';
import { rowValues } from './request-table.ts';
import { quantileInterval } from './quantile-interval.ts';
import type { MetricWord, Statistic } from './slo.ts';
import type { Slices } from './slices.ts';

/** A figure over the stretches of a run. */
export interface SliceStatistic {
  count: number;
  /** Each stretch counted as often as its weight says; all weights 1 = the figure itself. */
  of(weights: ArrayLike<number>): number | null;
  /** What each stretch adds to the figure's deviation, in their order and up to a factor: how neighbours resemble each other. */
  parts: Float64Array;
  /**
   * Quantiles: the interval between order statistics, below which no honest interval can lie, since drawing stretches
   * again says little about a tail that few requests reach. null = too few requests for this quantile.
   */
  least?: readonly [number, number] | null;
}

/** What one request is judged on for each metric word. */
export const timeValues = {
  ttft: rowValues.ttftMs,
  tpot: rowValues.tpotMs,
  itl: rowValues.meanGapMs,
  latency: rowValues.latencyMs,
  lateness: rowValues.latenessMs,
};
/** Above so many values a quantile is read from this many bins of equal count; an interval needs no more. */
const mostBins = 2000;

/**
 * The figure that a metric word means, as a function of the stretches of a run; null where the run does not know it.
 * `itl` means the per-request mean gap here: gaps of one request are no independent facts.
 */
export function sliceStatistic(slices: Slices, metric: MetricWord, statistic: Statistic): SliceStatistic | null {
  const { count } = slices;
  switch (metric) {
    case 'outputTokensPerSec':
      return { count, ...ratioOf(slices.tokens, slices.durationMs, 1000) };
    case 'requestsPerSec':
      return { count, ...ratioOf(slices.okEnds, slices.durationMs, 1000) };
    case 'failed':
      return { count, ...ratioOf(slices.failed, slices.sent, 1) };
    case 'goodput':
    case 'totalTokensPerSec':
      return null;
    default: {
      const { slice, values } = slices.values(timeValues[metric]);
      if (values.length === 0) return null;
      if (statistic === 'mean') return { count, ...meanOf(slice, values, count) };
      if (statistic === 'min' || statistic === 'max') return null;
      const q = Number(statistic.slice(1)) / 100;
      const ascending = values.toSorted();
      const parts = sharesBelow(slice, values, count, quantile(ascending, q)!, q);
      return {
        count,
        of: quantileOf(slice, values, q),
        parts,
        least: quantileInterval(ascending, q, alike(parts, values.length, q)),
      };
    }
  }
}

type Linear = Pick<SliceStatistic, 'of' | 'parts'>;

function ratioOf(above: Float64Array, below: Float64Array, scale: number): Linear {
  const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);
  const ratio = sum(above) / (sum(below) || 1);
  return {
    of(weights) {
      let [a, b] = [0, 0];
      for (let i = 0; i < above.length; i++) {
        a += weights[i]! * above[i]!;
        b += weights[i]! * below[i]!;
      }
      return b > 0 ? (a / b) * scale : null;
    },
    parts: above.map((value, i) => value - ratio * below[i]!),
  };
}

/** A quantile moves with the share of values below it: the surplus of each stretch over the share expected of it. */
function sharesBelow(slice: Uint16Array, values: Float64Array, count: number, value: number, q: number): Float64Array {
  const parts = new Float64Array(count);
  for (let i = 0; i < values.length; i++) parts[slice[i]!]! += (values[i]! <= value ? 1 : 0) - q;
  return parts;
}

/**
 * How many requests stand for one of their own: those beyond a quantile come together where requests of one wave wait for each other. It is
 * the variance of the shares of the stretches over that of independent requests.
 */
function alike(parts: Float64Array, n: number, q: number): number {
  const squares = parts.reduce((sum, part) => sum + part * part, 0);
  return Math.max(1, (squares * parts.length) / ((parts.length - 1) * n * q * (1 - q)));
}

function meanOf(slice: Uint16Array, values: Float64Array, count: number): Linear {
  const sums = new Float64Array(count);
  const counts = new Float64Array(count);
  for (let i = 0; i < values.length; i++) {
    sums[slice[i]!]! += values[i]!;
    counts[slice[i]!]! += 1;
  }
  return ratioOf(sums, counts, 1);
}

/** Type 7 quantile of the values, each repeated by the weight of its stretch. */
function quantileOf(slice: Uint16Array, values: Float64Array, q: number): SliceStatistic['of'] {
  const order = Uint32Array.from(values.keys()).sort((a, b) => values[a]! - values[b]!);
  const stride = Math.max(1, Math.ceil(values.length / mostBins));
  // Where there are many values, each stands for itself but only some are looked at: every stride-th of each stretch.
  const seen = new Map<number, number>();
  const kept: number[] = [];
  for (const at of order) {
    const times = seen.get(slice[at]!) ?? 0;
    seen.set(slice[at]!, times + 1);
    if (times % stride === Math.floor(stride / 2)) kept.push(at);
  }
  const ascending = Float64Array.from(kept, (at) => values[at]!);
  const inSlice = Uint16Array.from(kept, (at) => slice[at]!);
  return (weights) => {
    const whole = wholeWeights(weights);
    if (whole && stride === 1) return quantile(ascending, q);
    let total = 0;
    for (const at of inSlice) total += weights[at]!;
    if (total === 0) return null;
    const target = (total - 1) * q;
    let passed = 0;
    let low: number | null = null;
    for (let i = 0; i < ascending.length; i++) {
      const weight = weights[inSlice[i]!]!;
      if (weight === 0) continue;
      passed += weight;
      if (low !== null) return low + (target - Math.floor(target)) * (ascending[i]! - low);
      if (passed > Math.floor(target)) {
        if (passed > Math.floor(target) + 1 || passed === total) return ascending[i]!;
        low = ascending[i]!;
      }
    }
    return low;
  };
}

function wholeWeights(weights: ArrayLike<number>): boolean {
  for (let i = 0; i < weights.length; i++) if (weights[i] !== 1) return false;
  return true;
}
