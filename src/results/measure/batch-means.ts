import { studentQuantile } from './student.ts';

/** The mean of a series that may be correlated with itself, with its interval. */
export interface MeanInterval {
  mean: number;
  low: number;
  high: number;
  /** How many batches the interval rests on. */
  batches: number;
}

const mostBatches = 20;
const fewestBatches = 8;

/**
 * Mean of a stationary series in its order, with a Student interval from the means of batches. Neighbouring values may
 * depend on each other; batches are made longer until the means of neighbouring batches no longer show it (lag-1
 * correlation by von Neumann's ratio within one-sided 10 %), but there are at least 8; what correlation is left widens
 * the interval by √((1 + r)/(1 − r)), as a first-order autoregression would. The first values that do not fill a batch
 * are left out of the spread. null for fewer than 16 values.
 */
export function batchMeansInterval(values: ArrayLike<number>, confidence = 0.95): MeanInterval | null {
  const n = values.length;
  if (n < 2 * fewestBatches) return null;
  let batches = Math.min(mostBatches, Math.floor(n / 2));
  let means = meansOf(values, batches);
  // Under independence the estimate deviates by √((b − 2)/(b² − 1)); 1.2816 is the 90 % point of the normal.
  while (batches > fewestBatches && lagOne(means) > 1.2816 * Math.sqrt((batches - 2) / (batches ** 2 - 1))) {
    batches = Math.max(fewestBatches, Math.floor(batches / 2));
    means = meansOf(values, batches);
  }
  let sum = 0;
  for (let i = 0; i < n; i++) sum += values[i]!;
  const mean = sum / n;
  const error = (deviation(means) / Math.sqrt(batches)) * correlationFactor(means);
  const half = studentQuantile((1 + confidence) / 2, batches - 1) * error;
  return { mean, low: mean - half, high: mean + half, batches };
}

function meansOf(values: ArrayLike<number>, batches: number): number[] {
  const length = Math.floor(values.length / batches);
  const skipped = values.length - length * batches;
  return Array.from({ length: batches }, (_, batch) => {
    let sum = 0;
    for (let i = 0; i < length; i++) sum += values[skipped + batch * length + i]!;
    return sum / length;
  });
}

/** How much wider the error of a mean is for the correlation between neighbours: √((1 + r)/(1 − r)), never below 1. */
export function correlationFactor(series: ArrayLike<number>): number {
  const left = Math.max(0, lagOne(series));
  return Math.sqrt((1 + left) / (1 - left));
}

/** Correlation of neighbouring means, from von Neumann's ratio of squared steps to squared deviations; 0 for equal means. */
function lagOne(means: ArrayLike<number>): number {
  let mean = 0;
  for (let i = 0; i < means.length; i++) mean += means[i]! / means.length;
  let squares = 0;
  let steps = 0;
  for (let i = 0; i < means.length; i++) {
    squares += (means[i]! - mean) ** 2;
    if (i > 0) steps += (means[i]! - means[i - 1]!) ** 2;
  }
  return squares === 0 ? 0 : 1 - steps / (2 * squares);
}

/** Sample standard deviation. */
export function deviation(values: readonly number[]): number {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
}
