import type { FitPoint } from './fit-point.ts';
import type { Prediction, SweepFit } from './fit-sweep.ts';
import { scoredMetrics, scoredNames } from './scored-metrics.ts';
import type { ScoredMetric } from './scored-metrics.ts';

/** Error on points that were not fitted; null = none of them has the metric. */
export interface MetricError {
  mape: number | null;
  worst: number | null;
}

/** One held-out point. */
export interface ScoredPoint {
  concurrency: number;
  measured: Record<ScoredMetric, number | null>;
  predicted: Record<ScoredMetric, number | null>;
  intervals?: Record<ScoredMetric, [number, number]>;
}

/** Errors by metric, and the points behind them: the keys of `llmdyno.fit/1`. */
export type HeldOut = Record<ScoredMetric, MetricError> & { points: ScoredPoint[] };

/** Predictions of the held-out points beside what was measured there. */
export function heldOutOf(fit: SweepFit): HeldOut {
  return scored(
    fit.heldOut.map((point) => {
      const predictions = fit.predict(point);
      return {
        concurrency: point.concurrency,
        measured: measuredOf(point),
        predicted: pick(predictions, (prediction) => prediction.value),
        intervals: pick(predictions, (prediction) => prediction.interval),
      };
    }),
  );
}

/** The same for log-log interpolation of the used points, which is what a fit has to beat. */
export function interpolationOf(fit: SweepFit): HeldOut {
  return scored(
    fit.heldOut.map((point) => ({
      concurrency: point.concurrency,
      measured: measuredOf(point),
      predicted: Object.fromEntries(
        scoredNames.map((name) => [name, interpolate(fit.used, name, point.concurrency)]),
      ) as Record<ScoredMetric, number | null>,
    })),
  );
}

function pick<T>(from: Record<ScoredMetric, Prediction>, what: (prediction: Prediction) => T): Record<ScoredMetric, T> {
  return Object.fromEntries(scoredNames.map((name) => [name, what(from[name])])) as Record<ScoredMetric, T>;
}

function measuredOf(point: FitPoint): Record<ScoredMetric, number | null> {
  return Object.fromEntries(scoredNames.map((name) => [name, scoredMetrics[name].measured(point)])) as Record<
    ScoredMetric,
    number | null
  >;
}

function scored(points: ScoredPoint[]): HeldOut {
  const errors = Object.fromEntries(
    scoredNames.map((name) => {
      const own = points.flatMap(({ measured, predicted }) => {
        const [truth, guess] = [measured[name], predicted[name]];
        return truth === null || guess === null ? [] : [Math.abs(guess / truth - 1)];
      });
      const mape = own.length === 0 ? null : own.reduce((sum, error) => sum + error, 0) / own.length;
      return [name, { mape, worst: own.length === 0 ? null : Math.max(...own) }];
    }),
  ) as Record<ScoredMetric, MetricError>;
  return { ...errors, points };
}

/** A metric at a concurrency, straight between the used points in log-log, and held at the ends; null = not measured there. */
function interpolate(used: readonly FitPoint[], metric: ScoredMetric, concurrency: number): number | null {
  const known = used.flatMap((point) => {
    const value = scoredMetrics[metric].measured(point);
    return value === null ? [] : [{ x: Math.log(point.concurrency), y: Math.log(value) }];
  });
  const x = Math.log(concurrency);
  const [first] = known;
  if (first === undefined) return null;
  if (x <= first.x) return Math.exp(first.y);
  for (let i = 1; i < known.length; i++) {
    const [low, high] = [known[i - 1]!, known[i]!];
    if (x <= high.x) return Math.exp(low.y + ((x - low.x) / (high.x - low.x)) * (high.y - low.y));
  }
  return Math.exp(known.at(-1)!.y);
}
