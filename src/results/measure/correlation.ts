/** How much wider the error of a mean is for the correlation between neighbours: √((1 + r)/(1 − r)), never below 1. */
export function correlationFactor(series: ArrayLike<number>): number {
  const left = Math.max(0, lagOne(series));
  return Math.sqrt((1 + left) / (1 - left));
}

/** Correlation of neighbouring values, from von Neumann's ratio of squared steps to squared deviations; 0 for equal values. */
function lagOne(values: ArrayLike<number>): number {
  let mean = 0;
  for (let i = 0; i < values.length; i++) mean += values[i]! / values.length;
  let squares = 0;
  let steps = 0;
  for (let i = 0; i < values.length; i++) {
    squares += (values[i]! - mean) ** 2;
    if (i > 0) steps += (values[i]! - values[i - 1]!) ** 2;
  }
  return squares === 0 ? 0 : 1 - steps / (2 * squares);
}

/** Sample standard deviation. */
export function deviation(values: readonly number[]): number {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
}
