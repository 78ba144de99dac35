import type { FitPoint } from './fit-point.ts';
import { solve } from './linear-solve.ts';
import { scoredMetrics, scoredNames } from './scored-metrics.ts';

/** One figure that was measured: its logarithm, the metric's place in scoredNames and the logarithm of the concurrency. */
interface Observation {
  value: number;
  metric: number;
  at: number;
  /** What an answer more at the end costs: those that were served at once over all requests. */
  drain: number;
}

/** What a slower step does to each of the scored metrics: less throughput, more latency, all by the same factor. */
const slowed: readonly number[] = scoredNames.map((name) => (name === 'outputTokensPerSec' ? -1 : 1));

/** Real engines are not straight lines: at each concurrency a step is slower or faster than a + c·n by about this much … */
const bendSigma = 0.03;
/** … and alike at concurrencies that are less than this apart, in logarithms (a factor of e). */
const bendReach = 1;
/** Runs of one engine differ by this much in speed. */
const runSigma = 0.01;
/** What else is in a single figure: how a percentile was read. */
const figureSigma = 0.01;
/**
 * Who comes last is about the same at all concurrencies, and no log tells it: the last answers of a run end later (or earlier) than drawn
 * ones would by this many mean answers. That is lost throughput and nobody's latency.
 */
const drainSigma = 0.5;
/** More than half of a run does not drain. */
const mostDrain = 0.5;

/** How an engine explains what was measured, a found on the way. */
export interface Explanation {
  logA: number;
  /** Minus twice the logarithm of the likelihood, up to a constant. */
  misfit: number;
  /** What is left of each figure. */
  residuals: number[];
}

/**
 * The figures of some points, and how far they may be from what an engine of the grid would print: a factor on the speed that
 * changes smoothly with the concurrency, one of each run, who came last, and a little of each figure.
 */
export class PointNoise {
  readonly observations: Observation[];
  readonly #points: readonly FitPoint[];
  readonly #inverse: number[][];
  readonly #slowedInverse: number[];
  readonly #slowedWeight: number;

  readonly #knee: number;

  /** `knee` = the concurrency from which on the engine is full: no more than that drains at the end of a run. */
  constructor(points: readonly FitPoint[], knee: number) {
    this.#points = points;
    this.#knee = knee;
    this.observations = points.flatMap((point) =>
      scoredNames.flatMap((name, metric) => {
        const value = scoredMetrics[name].measured(point);
        return value === null ? [] : [{ value: Math.log(value), metric, ...this.#whereOf(point) }];
      }),
    );
    const covariance = this.observations.map((a, i) =>
      this.observations.map((b, j) => {
        const sameRun = a.at === b.at ? runSigma ** 2 : 0;
        return together(a, b) + slowed[a.metric]! * slowed[b.metric]! * sameRun + (i === j ? figureSigma ** 2 : 0);
      }),
    );
    this.#inverse = covariance.map((_, i) =>
      solve(
        covariance,
        covariance.map((__, j) => (i === j ? 1 : 0)),
      ),
    );
    this.#slowedInverse = this.#times(this.observations.map(({ metric }) => slowed[metric]!));
    this.#slowedWeight = this.#slowedInverse.reduce((sum, v, i) => sum + v * slowed[this.observations[i]!.metric]!, 0);
  }

  /** How well an engine explains the points; `logs` = its figures at each of them where a = 1 ms. */
  explain(logs: readonly (readonly number[])[]): Explanation {
    const flat = this.#points.flatMap((point, i) =>
      logs[i]!.filter((_, k) => scoredMetrics[scoredNames[k]!].measured(point) !== null),
    );
    const apart = this.observations.map(({ value }, i) => value - flat[i]!);
    const logA = apart.reduce((sum, r, i) => sum + r * this.#slowedInverse[i]!, 0) / this.#slowedWeight;
    const residuals = apart.map((r, i) => r - slowed[this.observations[i]!.metric]! * logA);
    const weighted = this.#times(residuals);
    return { logA, misfit: residuals.reduce((sum, r, i) => sum + r * weighted[i]!, 0), residuals };
  }

  /** An engine's figures at another point: a is known by now, and what its neighbours have left over is handed on. */
  figuresAt(logs: readonly number[], point: FitPoint, { logA, residuals }: Explanation): number[] {
    const weighted = this.#times(residuals);
    return logs.map((log, k) => {
      const here = this.#towards(point, k);
      return log + slowed[k]! * logA + here.reduce((sum, value, i) => sum + value * weighted[i]!, 0);
    });
  }

  /** Variance of a figure at a point, given the engine. */
  varianceAt(point: FitPoint, metric: number): number {
    const here = this.#towards(point, metric);
    const weighted = this.#times(here);
    const known = here.reduce((sum, k, i) => sum + k * weighted[i]!, 0);
    const own = { metric, ...this.#whereOf(point) };
    return together(own, own) - known + runSigma ** 2 + figureSigma ** 2;
  }

  #towards(point: FitPoint, metric: number): number[] {
    const own = { metric, ...this.#whereOf(point) };
    return this.observations.map((seen) => together(seen, own));
  }

  #whereOf({ concurrency, requests }: FitPoint): { at: number; drain: number } {
    const drain = Math.min(mostDrain, Math.min(concurrency, this.#knee) / requests);
    return { at: Math.log(concurrency), drain };
  }

  #times(vector: readonly number[]): number[] {
    return this.#inverse.map((row) => row.reduce((sum, value, i) => sum + value * vector[i]!, 0));
  }
}

/** Covariance of two figures: steps that are alike slower or faster, and the same drain. */
function together(a: Omit<Observation, 'value'>, b: Omit<Observation, 'value'>): number {
  const rates = a.metric === rate && b.metric === rate ? drainSigma ** 2 * a.drain * b.drain : 0;
  return slowed[a.metric]! * slowed[b.metric]! * alike(a.at, b.at) + rates;
}

/** The place of the throughput. */
const rate = scoredNames.indexOf('outputTokensPerSec');

function alike(a: number, b: number): number {
  return bendSigma ** 2 * Math.exp(-Math.abs(a - b) / bendReach);
}
