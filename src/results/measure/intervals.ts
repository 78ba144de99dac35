import { estimate } from './change.ts';
import { slicesOf } from './slices.ts';
import { sliceStatistic } from './slice-statistic.ts';
import type { MetricWord, Statistic } from './slo.ts';
import type { Trace } from './trace.ts';

/** The metric words that comparisons and bands are made of, in the order they are told. */
export const comparedMetrics = [
  'requestsPerSec',
  'outputTokensPerSec',
  'latency.mean',
  'latency.p50',
  'latency.p90',
  'latency.p99',
  'ttft.mean',
  'ttft.p50',
  'ttft.p90',
  'ttft.p99',
  'tpot.mean',
  'tpot.p50',
  'tpot.p90',
  'tpot.p99',
  'failed',
] as const;

/** A metric word in its two parts; a word without a statistic is a mean. */
export function splitMetric(word: string): { metric: MetricWord; statistic: Statistic } {
  const [metric, statistic = 'mean'] = word.split('.');
  return { metric: metric as MetricWord, statistic: statistic as Statistic };
}

/**
 * 95 % intervals of a run's figures by metric word, as ratios to the figure itself ([0.97, 1.03] is ± 3 %); null where the
 * run is too short or does not know the figure. They come from the steady part and serve the whole run's figure too.
 */
export function intervalsOf(
  trace: Trace,
  metrics: readonly string[] = comparedMetrics,
): Record<string, readonly [number, number] | null> | null {
  const slices = slicesOf(trace);
  if (slices === null) return null;
  return Object.fromEntries(
    metrics.map((word) => {
      const { metric, statistic } = splitMetric(word);
      const figure = sliceStatistic(slices, metric, statistic);
      const found = figure === null ? null : estimate(figure, { name: `interval ${word}` });
      if (found === null || !(found.value > 0)) return [word, null];
      return [word, [Math.max(0, found.interval[0] / found.value), found.interval[1] / found.value] as const];
    }),
  );
}
