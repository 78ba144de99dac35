import { solve } from '../../core/index.ts';

/** Where a search for the least squares ended. */
export interface LeastSquares {
  at: number[];
  /** Sum of the squared residuals. */
  value: number;
}

/**
 * Least squares by damped steps (Levenberg and Marquardt) with slopes from differences. Wide first differences see over the small
 * bumps that a simulation in steps has; they narrow as the search goes on.
 */
export function leastSquares(
  residuals: (x: readonly number[]) => number[],
  start: readonly number[],
  options: { iterations: number; width: number },
): LeastSquares {
  let at = [...start];
  let here = residuals(at);
  let value = dot(here, here);
  let { width } = options;
  let damping = 0.01;
  for (let i = 0; i < options.iterations; i++) {
    const slopes = at.map((x, j) => {
      const there = residuals(at.with(j, x + width));
      return here.map((residual, k) => (there[k]! - residual) / width);
    });
    let better = false;
    for (let attempt = 0; attempt < 4 && !better; attempt++) {
      const step = dampedStep(slopes, here, damping);
      const next = at.map((x, j) => x + Math.max(-1, Math.min(1, step[j]!)));
      const there = residuals(next);
      const sum = dot(there, there);
      better = sum < value;
      if (better) [at, here, value] = [next, there, sum];
      damping = better ? Math.max(1e-6, damping / 5) : damping * 6;
    }
    if (!better) damping = 0.01;
    width = Math.max(0.01, width * (better ? 0.85 : 0.5));
  }
  return { at, value };
}

function dampedStep(slopes: readonly number[][], residuals: readonly number[], damping: number): number[] {
  const matrix = slopes.map((row, i) =>
    slopes.map((other, j) => dot(row, other) * (i === j ? 1 + damping : 1) + (i === j ? 1e-9 : 0)),
  );
  return solve(
    matrix,
    slopes.map((row) => -dot(row, residuals)),
  );
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0);
}
