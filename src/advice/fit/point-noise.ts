import type { FitPoint } from './fit-point.ts';
import { solve } from '../../core/index.ts';
import { runSigma } from '../../results/measure/index.ts';
import { scoredFigures } from './explained-figures.ts';
import type { ExplainedFigure } from './explained-figures.ts';

/** One figure that was measured: its logarithm, its place among the figures and the logarithm of the concurrency. */
interface Observation {
  value: number;
  figure: ExplainedFigure;
  place: number;
  point: number;
  at: number;
  /** Logarithm of the concurrency over the knee, at least 0. */
  beyond: number;
  /** What an answer more at the end costs: those that were served at once over all requests. */
  drain: number;
}

/** Real engines are not straight lines: at each concurrency a step is slower or faster than a + c·n by about this much … */
const bendSigma = 0.04;
/** … and alike at concurrencies that are less than this apart, in logarithms (a factor of two). */
const bendReach = 0.7;
/**
 * Who comes last is about the same at all concurrencies, and no log tells it: the last answers of a run end later (or earlier) than drawn
 * ones would by this many mean answers. That is lost throughput and nobody's latency.
 */
const drainSigma = 0.3;
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
 * changes smoothly with the concurrency, one of each run, who came last, and a little of each figure alone.
 */
export class PointNoise {
  readonly observations: Observation[];
  readonly #inverse: number[][];
  readonly #slowedInverse: number[];
  readonly #slowedWeight: number;

  /** `knee` = the concurrency from which on the engine is full: no more than that drains at the end of a run. `figures` = the scored ones first. */
  constructor(
    points: readonly FitPoint[],
    private readonly knee: number,
    private readonly figures: readonly ExplainedFigure[] = scoredFigures,
  ) {
    this.observations = points.flatMap((point, number) =>
      figures.flatMap((figure, place) => {
        const value = figure.measured(point);
        return value === null
          ? []
          : [{ value: Math.log(value), figure, place, point: number, ...this.#whereOf(point) }];
      }),
    );
    const covariance = this.observations.map((a, i) =>
      this.observations.map((b, j) => {
        const sameRun = a.point === b.point ? a.figure.slowed * b.figure.slowed * runSigma ** 2 : 0;
        const alone = i === j ? a.figure.variance(points[a.point]!, a.beyond) : 0;
        return together(a, b) + sameRun + alone;
      }),
    );
    this.#inverse = covariance.map((_, i) =>
      solve(
        covariance,
        covariance.map((__, j) => (i === j ? 1 : 0)),
      ),
    );
    this.#slowedInverse = this.#times(this.observations.map(({ figure }) => figure.slowed));
    this.#slowedWeight = this.#slowedInverse.reduce((sum, v, i) => sum + v * this.observations[i]!.figure.slowed, 0);
  }

  /** How well an engine explains the points; `logs` = its figures at each of them where a = 1 ms. */
  explain(logs: readonly (readonly number[])[]): Explanation {
    const apart = this.observations.map(({ value, point, place }) => value - logs[point]![place]!);
    const logA = apart.reduce((sum, r, i) => sum + r * this.#slowedInverse[i]!, 0) / this.#slowedWeight;
    const residuals = apart.map((r, i) => r - this.observations[i]!.figure.slowed * logA);
    const weighted = this.#times(residuals);
    return { logA, misfit: residuals.reduce((sum, r, i) => sum + r * weighted[i]!, 0), residuals };
  }

  /** An engine's scored figures at another point: a is known by now, and what its neighbours have left over is handed on. */
  figuresAt(logs: readonly number[], point: FitPoint, { logA, residuals }: Explanation): number[] {
    const weighted = this.#times(residuals);
    return scoredFigures.map(({ slowed }, k) => {
      const here = this.#towards(point, k);
      return logs[k]! + slowed * logA + here.reduce((sum, value, i) => sum + value * weighted[i]!, 0);
    });
  }

  /** Variance of a figure at a point, given the engine. */
  varianceAt(point: FitPoint, place: number): number {
    const here = this.#towards(point, place);
    const weighted = this.#times(here);
    const known = here.reduce((sum, k, i) => sum + k * weighted[i]!, 0);
    const figure = this.figures[place]!;
    const own = { figure, ...this.#whereOf(point) };
    return together(own, own) - known + runSigma ** 2 + figure.variance(point, own.beyond);
  }

  #towards(point: FitPoint, place: number): number[] {
    const own = { figure: this.figures[place]!, ...this.#whereOf(point) };
    return this.observations.map((seen) => together(seen, own));
  }

  #whereOf({ concurrency, requests }: FitPoint): Pick<Observation, 'at' | 'beyond' | 'drain'> {
    const drain = Math.min(mostDrain, Math.min(concurrency, this.knee) / requests);
    return { at: Math.log(concurrency), beyond: Math.max(0, Math.log(concurrency / this.knee)), drain };
  }

  #times(vector: readonly number[]): number[] {
    return this.#inverse.map((row) => row.reduce((sum, value, i) => sum + value * vector[i]!, 0));
  }
}

type NamedFigure = Pick<Observation, 'figure' | 'at' | 'drain'>;

/** Covariance of two figures: steps that are alike slower or faster, and the same drain. */
function together(a: NamedFigure, b: NamedFigure): number {
  const drained = a.figure.drains && b.figure.drains ? drainSigma ** 2 * a.drain * b.drain : 0;
  return a.figure.slowed * b.figure.slowed * alike(a.at, b.at) + drained;
}

function alike(a: number, b: number): number {
  return bendSigma ** 2 * Math.exp(-Math.abs(a - b) / bendReach);
}
