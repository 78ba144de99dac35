import type { Distribution, SpeedDistribution } from '../../core/index.ts';
import { slowOf, weightedDistribution } from './weighted-distribution.ts';

const relativeError = 0.001;
const ratio = (1 + relativeError) / (1 - relativeError);
const logRatio = Math.log(ratio);
const smallest = 1e-6;
/** Weights in whole 2^-24ths and time in whole 2^-14ths of a ms: sums are exact whatever their order. */
const weightGrain = 2 ** 24;
const timeGrain = 2 ** 14;

/**
 * A mergeable histogram whose buckets grow by a constant ratio: whatever is read from it is within 0.1 % of the true
 * value (below 1e-6 within 1e-6); min, max and mean are exact. Memory does not grow with the number of samples.
 */
export interface LogHistogram {
  add(value: number, weight: number): void;
  merge(other: LogHistogram): void;
  distribution(): Distribution | null;
  /** With its low percentiles. */
  speeds(): SpeedDistribution | null;
  contents(): { grains: Map<number, number>; min: number; max: number; sum: number };
}

/** An empty histogram. */
export function makeLogHistogram(): LogHistogram {
  const grains = new Map<number, number>();
  let min = Infinity;
  let max = -Infinity;
  let sum = 0;
  const contentsOf = (): [number[], number[]] => {
    const indices = [...grains.keys()].toSorted((a, b) => a - b);
    const values = indices.map((index) => Math.min(max, Math.max(min, middleOf(index))));
    return [values, indices.map((index) => grains.get(index)! / weightGrain)];
  };
  const told: LogHistogram = {
    add(value, weight) {
      const index = value < smallest ? 0 : Math.max(1, Math.ceil(Math.log(value / smallest) / logRatio));
      grains.set(index, (grains.get(index) ?? 0) + Math.round(weight * weightGrain));
      min = Math.min(min, value);
      max = Math.max(max, value);
      sum += Math.round(value * weight * timeGrain);
    },
    merge(other) {
      const theirs = other.contents();
      for (const [index, amount] of theirs.grains) grains.set(index, (grains.get(index) ?? 0) + amount);
      min = Math.min(min, theirs.min);
      max = Math.max(max, theirs.max);
      sum += theirs.sum;
    },
    distribution() {
      const [values, weights] = contentsOf();
      const read = weightedDistribution(values, weights);
      if (read === null) return null;
      const weight = weights.reduce((all, one) => all + one, 0);
      return { ...read, mean: Math.min(max, Math.max(min, sum / timeGrain / weight)), min, max };
    },
    speeds() {
      const whole = told.distribution();
      return whole === null ? null : { ...whole, ...slowOf(...contentsOf()) };
    },
    contents: () => ({ grains, min, max, sum }),
  };
  return told;
}

/** The value that is within 0.1 % of everything in the bucket. */
function middleOf(index: number): number {
  return index === 0 ? 0 : (smallest * 2 * ratio ** index) / (ratio + 1);
}
