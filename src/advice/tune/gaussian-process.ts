import { cholesky, solveLower, solveTransposed } from '../../core/index.ts';

/** Where something was seen, and what (usually a logarithm). */
export interface Observation {
  at: readonly number[];
  value: number;
  /** Variance of one look at it. */
  noise: number;
}

/** How a process is shaped; variances in squared units of the values. */
export interface ProcessShape {
  /** Of the level that all places share. */
  levelVariance: number;
  /** Of straight trends along each ordered coordinate. */
  trendVariance: number;
  /** Of bends. */
  bendVariance: number;
  /** How far along a coordinate (0…1) bends are felt. */
  reach: number;
}

/** A middle and a variance of the true value (a look at it has the noise on top). */
export interface Posterior {
  mean: number;
  variance: number;
}

/** What is believed everywhere after some looks. */
export interface Process {
  at(place: readonly number[]): Posterior;
  /** Logarithm of how likely the looks were under this shape. */
  likelihood: number;
}

/** Two names that differ share this part of what is known. */
const nameShare = 0.6;

/** A Gaussian process with level, trend and Matérn 5/2 bends; `ordered` says which coordinates are numbers. */
export function gaussianProcess(
  seen: readonly Observation[],
  ordered: readonly boolean[],
  shape: ProcessShape,
): Process {
  const kernel = (a: readonly number[], b: readonly number[]): number => {
    let squared = 0;
    let share = 1;
    let trend = 0;
    for (let i = 0; i < ordered.length; i++) {
      if (ordered[i]) {
        squared += ((a[i]! - b[i]!) / shape.reach) ** 2;
        trend += (a[i]! - 0.5) * (b[i]! - 0.5);
      } else if (a[i] !== b[i]) share *= nameShare;
    }
    const r = Math.sqrt(5 * squared);
    const bend = shape.bendVariance * share * (1 + r + r ** 2 / 3) * Math.exp(-r);
    return shape.levelVariance * (0.5 + 0.5 * share) + shape.trendVariance * trend + bend;
  };
  const n = seen.length;
  const lower = cholesky(seen.map((a, i) => seen.map((b, j) => kernel(a.at, b.at) + (i === j ? a.noise + 1e-9 : 0))));
  const weights = solveTransposed(
    lower,
    solveLower(
      lower,
      seen.map(({ value }) => value),
    ),
  );
  let likelihood = -0.5 * n * Math.log(2 * Math.PI);
  for (let i = 0; i < n; i++) likelihood -= 0.5 * seen[i]!.value * weights[i]! + Math.log(lower[i]![i]!);
  return {
    likelihood,
    at(place) {
      const cross = seen.map(({ at }) => kernel(place, at));
      const half = solveLower(lower, cross);
      let mean = 0;
      let variance = kernel(place, place);
      for (let i = 0; i < n; i++) {
        mean += cross[i]! * weights[i]!;
        variance -= half[i]! ** 2;
      }
      return { mean, variance: Math.max(0, variance) };
    },
  };
}
