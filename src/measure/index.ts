/**
 * Exchanges → figures: latency, first token, gaps between tokens, throughput, lateness, goodput, the steady window.
 *
 * One meter per run takes exchanges as they end; meters of the same run merge into the meter of all their exchanges,
 * exactly and in any order. The room computes and never judges (that is audit) and knows no clock: all times come
 * with the exchanges. Unknown is null. Every figure is a formula in docs/reference/metrics.md.
 * Start reading at meter.ts, then reading.ts (what is read), meter-state.ts (what is remembered) and token-reads.ts.
 */
export { checkSlo, metricOf } from './check-slo.ts';
export { makeMeter, meterFor } from './meter.ts';
export type { Glance, Meter, MeterOptions } from './meter.ts';
export { histogramMethod } from './reading.ts';
export type { Reading } from './reading.ts';
export { parseSlo, runMetrics, statistics, timeMetrics, withinLimit } from './slo.ts';
export type { MetricWord, Slo, Statistic, TimeMetric } from './slo.ts';
export { factsOfPlan, summarise } from './summarise.ts';
export type { SummaryFacts } from './summarise.ts';
