import type { PromiseKept, Summary } from '../../core/index.ts';
import { parseSlo, withinLimit } from './slo.ts';
import type { MetricWord, Slo, Statistic } from './slo.ts';

/** The summary's key behind each metric word that is a time. */
const timeKeys = {
  ttft: 'ttftMs',
  tpot: 'tpotMs',
  itl: 'itlMs',
  latency: 'latencyMs',
  lateness: 'latenessMs',
} as const;

/** What a metric word stands for in a summary; null = the summary does not know it. `failed` is failed / issued. */
export function metricOf(summary: Summary, metric: MetricWord, statistic: Statistic): number | null {
  switch (metric) {
    case 'failed':
      return summary.counts.issued > 0 ? summary.counts.failed / summary.counts.issued : null;
    case 'goodput':
      return summary.goodput?.requestsPerSec ?? null;
    case 'requestsPerSec':
    case 'outputTokensPerSec':
    case 'totalTokensPerSec':
      return summary[metric];
    default:
      return summary[timeKeys[metric]]?.[statistic] ?? null;
  }
}

/**
 * Whether a run kept a promise; met is null where the summary does not know the figure. A statistic is that of the steady part
 * where the run has one, as in every table: the opening of a closed loop, where all ask at once, is no load that anybody asked
 * about. A time without a statistic is a promise about every request of the run: its max for <, its min for >.
 */
export function checkSlo(slo: Slo, summary: Summary): { met: boolean | null; value: number | null } {
  const { metric, unit, op } = slo;
  const steady = judgesSteadyPart(slo, summary);
  const statistic = slo.statistic ?? (op.startsWith('<') ? 'max' : 'min');
  const value =
    metric === 'goodput' && unit === 'ratio'
      ? (summary.goodput?.ratio ?? null)
      : ((steady ? metricOf({ ...summary, ...summary.steady }, metric, statistic) : null) ??
        metricOf(summary, metric, statistic));
  return { met: value === null ? null : withinLimit(slo, value), value };
}

/** Whether a promise is held against the steady part: what is said of each request, and of failures, is said of the whole run. */
export function judgesSteadyPart({ metric, unit, statistic }: Slo, { steady }: Pick<Summary, 'steady'>): boolean {
  if (steady === null || metric === 'failed' || metric === 'goodput') return false;
  return unit !== 'ms' || statistic !== null;
}

/** What became of every promise of a run, in the order in which they were written. */
export function promisesKept(summary: Summary, promises: readonly string[]): PromiseKept[] {
  return promises.map((promise) => {
    const { met, value } = checkSlo(parseSlo(promise), summary);
    return { promise, measured: value, kept: met };
  });
}
