import type { FitPoint } from './fit-point.ts';
import { scoredMetrics } from './scored-metrics.ts';
import type { ScoredMetric } from './scored-metrics.ts';

/** A metric at a concurrency, straight between the used points in log-log, and held at the ends; null = not measured there. */
export function interpolate(used: readonly FitPoint[], metric: ScoredMetric, concurrency: number): number | null {
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
