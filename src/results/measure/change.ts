import { randomStream } from '../../core/index.ts';
import { correlationFactor, deviation } from './batch-means.ts';
import { usualBootstrap } from './bootstrap.ts';
import type { BootstrapOptions } from './bootstrap.ts';
import type { SliceStatistic } from './slice-statistic.ts';
import { studentQuantile, studentTail } from './student.ts';

/** A figure with the interval that its run's own ups and downs give it. */
export interface Estimate {
  value: number;
  interval: readonly [number, number];
}

/** How one figure differs between two runs. */
export interface Change {
  /** Candidate over baseline, less one. */
  ratio: number;
  interval: readonly [number, number];
  /** Two-sided; how likely a difference this large is when there is none. */
  pValue: number;
  significant: boolean;
}

/** Interval of one figure: stretches of the run are drawn with replacement, the spread is widened as Student asks. */
export function estimate(run: SliceStatistic, options: Partial<BootstrapOptions> = {}): Estimate | null {
  const { resamples, confidence, seed, name } = { ...usualBootstrap, ...options };
  const value = run.of(ones(run.count));
  if (value === null) return null;
  const drawn = resample(run, resamples, seed, name);
  if (drawn === null || run.least === null) return null;
  const error = errorOf(run, drawn, (x) => x);
  const half = studentQuantile((1 + confidence) / 2, run.count - 1) * error;
  return { value, interval: [value - half, value + half] };
}

/**
 * Change of a figure from one run to another, on the logarithm of the ratio: stretches of both runs are drawn with
 * replacement, the spread of the ratio gives the interval through Student's t. null where a figure is not known, or
 * zero, so that there is no ratio.
 */
export function changeBetween(
  baseline: SliceStatistic,
  candidate: SliceStatistic,
  options: Partial<BootstrapOptions> = {},
): Change | null {
  const { resamples, confidence, seed, name } = { ...usualBootstrap, ...options };
  const [a, b] = [baseline.of(ones(baseline.count)), candidate.of(ones(candidate.count))];
  if (a === null || b === null || !(a > 0) || !(b > 0)) return null;
  const logs = (run: SliceStatistic, side: string): number[] | null => {
    const drawn = resample(run, resamples, seed, `${name} ${side}`);
    return drawn === null || drawn.some((value) => !(value > 0)) ? null : drawn.map(Math.log);
  };
  const [before, after] = [logs(baseline, 'baseline'), logs(candidate, 'candidate')];
  if (before === null || after === null || baseline.least === null || candidate.least === null) return null;
  const [va, vb] = [errorOf(baseline, before, Math.log), errorOf(candidate, after, Math.log)];
  const error = Math.hypot(va, vb);
  const middle = Math.log(b / a);
  if (error === 0) return sure(middle);
  // No more degrees of freedom than the shorter run has: Welch's would be right for independent stretches, and these are
  // only nearly so. Measured on equal runs, this keeps false alarms of every metric below 5 % (docs/validation/statistics.md).
  const freedom = Math.min(baseline.count, candidate.count) - 1;
  const half = studentQuantile((1 + confidence) / 2, freedom) * error;
  const pValue = 2 * studentTail(Math.abs(middle) / error, freedom);
  return {
    ratio: Math.expm1(middle),
    interval: [Math.expm1(middle - half), Math.expm1(middle + half)],
    pValue,
    significant: pValue < 1 - confidence,
  };
}

/** Two figures that never vary: any difference is one. */
function sure(log: number): Change {
  const ratio = Math.expm1(log);
  return { ratio, interval: [ratio, ratio], pValue: log === 0 ? 1 : 0, significant: log !== 0 };
}

/**
 * Standard error of a figure on a scale: the spread of the draws, widened for what neighbouring stretches have in common
 * (requests in flight across their edge), but no less than the order statistics allow.
 */
function errorOf(run: SliceStatistic, drawn: number[], scale: (value: number) => number): number {
  // The spread of draws is that of a population of `count`, which is too small by this factor.
  const spread = deviation(drawn) * Math.sqrt(run.count / (run.count - 1)) * correlationFactor(run.parts);
  if (run.least === undefined || run.least === null) return spread;
  const [low, high] = run.least;
  return Math.max(spread, (scale(high) - scale(low)) / (2 * 1.96));
}

function resample(run: SliceStatistic, resamples: number, seed: number, name: string): number[] | null {
  const stream = randomStream(seed, name);
  const weights = new Float64Array(run.count);
  const drawn: number[] = [];
  for (let r = 0; r < resamples; r++) {
    weights.fill(0);
    for (let i = 0; i < run.count; i++) weights[stream.below(run.count)]! += 1;
    const value = run.of(weights);
    if (value === null) return null;
    drawn.push(value);
  }
  return drawn;
}

function ones(count: number): Float64Array {
  return new Float64Array(count).fill(1);
}
