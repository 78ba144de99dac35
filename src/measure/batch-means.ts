import { studentQuantile } from './student.ts';

/** The mean of a series that may be correlated with itself, with its interval. */
export interface MeanInterval {
  mean: number;
  low: number;
  high: number;
  /** How many batches the interval rests on. */
  batches: number;
}

const mostBatches = 32;
const fewestBatches = 8;

/**
 * Mean of a stationary series in its order, with a Student interval from the means of batches. Neighbouring values may
 * depend on each other; batches are made longer until the means of neighbouring batches no longer show it (lag-1
 * correlation by von Neumann's ratio within one-sided 10 %), but there are at least 8. The first values that do not fill
 * a batch are left out of the interval. null for fewer than 16 values.
 */
export function batchMeansInterval(values: ArrayLike<number>, confidence = 0.95): MeanInterval | null {
  const n = values.length;
  if (n < 2 * fewestBatches) return null;
  let batches = Math.min(mostBatches, Math.floor(n / 2));
  let means = meansOf(values, batches);
  while (batches > fewestBatches && correlated(means)) {
    batches = Math.max(fewestBatches, Math.floor(batches / 2));
    means = meansOf(values, batches);
  }
  let sum = 0;
  for (let i = 0; i < n; i++) sum += values[i]!;
  const mean = sum / n;
  const half = studentQuantile((1 + confidence) / 2, batches - 1) * (deviation(means) / Math.sqrt(batches));
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

/** Whether neighbouring means rise and fall together more than chance would have it. */
function correlated(means: readonly number[]): boolean {
  const b = means.length;
  const mean = means.reduce((a, c) => a + c, 0) / b;
  let squares = 0;
  let steps = 0;
  for (let i = 0; i < b; i++) {
    squares += (means[i]! - mean) ** 2;
    if (i > 0) steps += (means[i]! - means[i - 1]!) ** 2;
  }
  if (squares === 0) return false;
  // 1 − ratio/2 estimates the lag-1 correlation; its deviation under independence is √((b − 2)/(b² − 1)).
  const correlation = 1 - steps / (2 * squares);
  return correlation > 1.2816 * Math.sqrt((b - 2) / (b * b - 1));
}

/** Sample standard deviation. */
export function deviation(values: readonly number[]): number {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
}
