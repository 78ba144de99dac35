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
  const rows = slopes.map((row, i) => [
    ...slopes.map((other, j) => dot(row, other) * (i === j ? 1 + damping : 1) + (i === j ? 1e-9 : 0)),
    -dot(row, residuals),
  ]);
  return solve(rows);
}

/** Solves rows of coefficients with the right side last, by elimination with the largest pivot first. */
function solve(rows: number[][]): number[] {
  const n = rows.length;
  for (let i = 0; i < n; i++) {
    const pivot = rows
      .slice(i)
      .reduce((best, row, k) => (Math.abs(row[i]!) > Math.abs(rows[best]![i]!) ? i + k : best), i);
    [rows[i], rows[pivot]] = [rows[pivot]!, rows[i]!];
    for (let k = i + 1; k < n; k++) {
      const factor = rows[k]![i]! / rows[i]![i]!;
      for (let j = i; j <= n; j++) rows[k]![j]! -= factor * rows[i]![j]!;
    }
  }
  const x = Array.from({ length: n }, () => 0);
  for (let i = n - 1; i >= 0; i--) {
    let sum = rows[i]![n]!;
    for (let j = i + 1; j < n; j++) sum -= rows[i]![j]! * x[j]!;
    x[i] = sum / rows[i]![i]!;
  }
  return x;
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0);
}
