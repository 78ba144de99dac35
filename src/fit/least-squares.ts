import { slopesAt } from './laplace.ts';
import { solve } from './linear-solve.ts';
import type { Minimum } from './nelder-mead.ts';

/**
 * Least squares by damped steps (Levenberg and Marquardt), with slopes from differences. Wide first differences see over the small
 * bumps that a simulation in steps has; they narrow as the search goes on.
 */
export function leastSquares(
  residuals: (x: readonly number[]) => number[],
  start: readonly number[],
  options: { iterations: number; width: number },
): Minimum {
  let at = [...start];
  let here = residuals(at);
  let value = sumOfSquares(here);
  let evaluations = 1;
  let damping = 0.01;
  let { width } = options;
  for (let i = 0; i < options.iterations; i++) {
    const slopes = slopesAt(
      residuals,
      at,
      at.map(() => width),
      here,
    );
    evaluations += 2 * at.length;
    let better = false;
    for (let attempt = 0; attempt < 5 && !better; attempt++) {
      const step = dampedStep(slopes, here, damping);
      const next = at.map((x, j) => x + Math.max(-1, Math.min(1, step[j]!)));
      const there = residuals(next);
      const sum = sumOfSquares(there);
      evaluations++;
      better = sum < value;
      if (better) {
        const gain = 1 - sum / value;
        [at, here, value] = [next, there, sum];
        damping = Math.max(1e-6, damping / 5);
        if (gain < 1e-4) i = Math.max(i, options.iterations - 3);
      } else damping *= 6;
    }
    if (!better) damping = 0.01;
    width = Math.max(0.01, width * (better ? 0.85 : 0.5));
  }
  return { at, value, evaluations };
}

function dampedStep(slopes: readonly number[][], residuals: readonly number[], damping: number): number[] {
  const n = slopes.length;
  const normal = Array.from({ length: n }, (_, i) => Array.from({ length: n }, (__, j) => dot(slopes[i]!, slopes[j]!)));
  const gradient = slopes.map((row) => -dot(row, residuals));
  const scale = Math.max(...normal.map((row, i) => row[i]!), 1e-12);
  return solve(
    normal.map((row, i) =>
      row.map((value, j) => (i === j ? value * (1 + damping) + damping * 1e-3 * scale + 1e-12 : value)),
    ),
    gradient,
  );
}

function dot(a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

function sumOfSquares(values: readonly number[]): number {
  return dot(values, values);
}
