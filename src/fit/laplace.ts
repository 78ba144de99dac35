import { solve } from './linear-solve.ts';

/** How sure a least-squares fit is of its parameters. */
export interface Uncertainty {
  /** Covariance of the parameters. */
  covariance: number[][];
  /** Standard deviation of a residual. */
  sigma: number;
}

/** Run-to-run noise that a fit on a few points cannot see: single runs differ by about this much. */
const leastSigma = 0.015;

/** The covariance of the parameters at the minimum, from the residuals' slopes there (Laplace's approximation). */
export function laplace(
  residuals: (x: readonly number[]) => number[],
  at: readonly number[],
  steps: readonly number[],
): Uncertainty {
  const here = residuals(at);
  const slopes = slopesAt(residuals, at, steps, here);
  const freedom = Math.max(1, here.length - at.length);
  const sigma = Math.max(leastSigma, Math.sqrt(here.reduce((sum, r) => sum + r * r, 0) / freedom));
  // A little of the unit matrix keeps a direction that the data says nothing of finite.
  const normal = at.map((_, i) => at.map((__, j) => dot(slopes[i]!, slopes[j]!) / sigma ** 2 + (i === j ? 0.25 : 0)));
  return { covariance: inverse(normal), sigma };
}

/** Slopes of every output with respect to every number, by differences to both sides. */
export function slopesAt(
  f: (x: readonly number[]) => number[],
  at: readonly number[],
  steps: readonly number[],
  here: readonly number[] = f(at),
): number[][] {
  return at.map((_, i) => {
    const moved = (sign: number): number[] => f(at.map((x, j) => (i === j ? x + sign * steps[i]! : x)));
    const [up, down] = [moved(1), moved(-1)];
    return here.map((__, k) => (up[k]! - down[k]!) / (2 * steps[i]!));
  });
}

/** Standard deviation of an output whose slopes are given. */
export function spreadOf(covariance: readonly (readonly number[])[], slopes: readonly number[]): number {
  let variance = 0;
  covariance.forEach((row, i) => row.forEach((value, j) => (variance += slopes[i]! * value * slopes[j]!)));
  return Math.sqrt(Math.max(0, variance));
}

/** The 0.95 quantile of the standard normal: ± this many standard deviations hold 90 %. */
export const ninetyPercent = 1.645;

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0);
}

/** Column by column; the matrices here are symmetric, positive and at most a handful wide. */
function inverse(matrix: readonly (readonly number[])[]): number[][] {
  return matrix.map((_, i) =>
    solve(
      matrix,
      matrix.map((__, j) => (i === j ? 1 : 0)),
    ),
  );
}
