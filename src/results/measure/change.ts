import { randomStream } from '../../core/index.ts';
import { correlationFactor, deviation } from './correlation.ts';
import type { SliceStatistic } from './slice-statistic.ts';
import { studentQuantile, studentTail } from './student.ts';

/** How stretches of a run are drawn with replacement. */
interface BootstrapOptions {
  resamples: number;
  confidence: number;
  seed: number;
  /** Names the random stream, so that two intervals of one report do not share their luck. */
  name: string;
}

const usualBootstrap: BootstrapOptions = { resamples: 1000, confidence: 0.95, seed: 1, name: 'bootstrap' };

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

/** A figure of one run, and how far a run like it may come to another: what comparisons and histories rest on. */
export interface RunFigure {
  value: number;
  /** Standard error of its logarithm; null = the run is too short to tell, or the figure is zero. */
  error: number | null;
  freedom: number;
}

/**
 * Two runs of one server differ by this much in everything, as a standard deviation, whatever their own requests say: a run alone cannot
 * know on what day it was made. Repeated runs of real servers differed by 0.7 to 1.7 %.
 */
export const runSigma = 0.01;

/** The figure of a run with the error that its own ups and downs give it, and the day that it was made on. */
export function runFigure(run: SliceStatistic, options: Partial<BootstrapOptions> = {}): RunFigure | null {
  const { resamples, seed, name } = { ...usualBootstrap, ...options };
  const value = run.of(ones(run.count));
  if (value === null) return null;
  const unsure: RunFigure = { value, error: null, freedom: run.count - 1 };
  if (!(value > 0) || run.least === null) return unsure;
  const drawn = resample(run, resamples, seed, name);
  if (drawn === null || drawn.some((one) => !(one > 0))) return unsure;
  return { ...unsure, error: Math.hypot(errorOf(run, drawn.map(Math.log), Math.log), runSigma) };
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
 * replacement, the spread of the ratio and that of runs give the interval through Student's t. null where a figure is not known, or
 * zero, so that there is no ratio.
 */
export function changeBetween(
  baseline: SliceStatistic,
  candidate: SliceStatistic,
  options: Partial<BootstrapOptions> = {},
): Change | null {
  const { confidence, name } = { ...usualBootstrap, ...options };
  const [before, after] = [baseline, candidate].map((run, i) =>
    runFigure(run, { ...options, name: `${name} ${i === 0 ? 'baseline' : 'candidate'}` }),
  ) as [RunFigure | null, RunFigure | null];
  if (before?.error == null || after?.error == null || !(before.value > 0) || !(after.value > 0)) return null;
  const error = Math.hypot(before.error, after.error);
  const middle = Math.log(after.value / before.value);
  // No more degrees of freedom than the shorter run has: Welch's would be right for independent stretches, and these are
  // only nearly so. Measured on equal runs, this keeps false alarms of every metric below 5 % (docs/validation/statistics.md).
  const freedom = Math.min(before.freedom, after.freedom);
  const half = studentQuantile((1 + confidence) / 2, freedom) * error;
  const pValue = 2 * studentTail(Math.abs(middle) / error, freedom);
  return {
    ratio: Math.expm1(middle),
    interval: [Math.expm1(middle - half), Math.expm1(middle + half)],
    pValue,
    significant: pValue < 1 - confidence,
  };
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
