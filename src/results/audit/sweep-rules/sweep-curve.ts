import { quotedFigures } from '../../../core/index.ts';
import type { Summary } from '../../../core/index.ts';
import { known } from '../printed-room.ts';

/** One usable point of a sweep's curve. */
export interface CurvePoint {
  load: number;
  rate: number;
  point: Summary;
}

/**
 * Points with load and token rate (else request rate; of the steady part, where there is one, as every table quotes it) that no `invalid` finding spoils, ascending by load. Empty where
 * two points share a load: then something else than the load was varied.
 */
export function curveOf(points: readonly Summary[]): CurvePoint[] {
  const curve = points
    .flatMap((point) => {
      const load = point.load.concurrency ?? point.load.ratePerSec;
      const { outputTokensPerSec, requestsPerSec } = quotedFigures(point);
      const rate = outputTokensPerSec ?? requestsPerSec;
      return known(load) && known(rate) && point.verdict.valid ? [{ load, rate, point }] : [];
    })
    .toSorted((a, b) => a.load - b.load);
  return new Set(curve.map((at) => at.load)).size === curve.length ? curve : [];
}
