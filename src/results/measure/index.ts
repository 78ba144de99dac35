/**
 * Exchanges → figures: latency, first token, gaps between tokens, throughput, lateness, goodput, the steady window.
 *
 * One meter per run takes exchanges as they end; meters of the same run merge into the meter of all their exchanges,
 * exactly and in any order. The room computes and never judges (that is audit) and knows no clock: all times come
 * with the exchanges. Unknown is null. Every figure is a formula in docs/reference/metrics.md.
 * How sure a figure is (batch means, order statistics, bootstrap) is told by intervals.ts and change.ts, over a Trace.
 * Start reading at meter.ts, then reading.ts (what is read), meter-state.ts (what is remembered) and token-reads.ts.
 */
export { batchMeansInterval } from './batch-means.ts';
export type { MeanInterval } from './batch-means.ts';
export { bootstrapInterval } from './bootstrap.ts';
export { changeBetween, estimate } from './change.ts';
export type { Change, Estimate } from './change.ts';
export { standingOf } from './certainty.ts';
export type { Standing } from './certainty.ts';
export { checkSlo, metricOf, promisesKept } from './check-slo.ts';
export { comparePoint } from './compare.ts';
export type { ComparedMetricRow, ComparedRun, GateResult, MetricChange, PointComparison } from './compare.ts';
export { compareSweeps } from './compare-sweeps.ts';
export type { ComparedPromise, ComparedSweep, Comparison } from './compare-sweeps.ts';
export { FlowBook } from './flow.ts';
export { SilenceBook } from './silence.ts';
export type { CompareDoubts, LoadFinding } from './load-finding.ts';
export { efficiencyOf } from './efficiency.ts';
export type { Efficiency, MachineFacts } from './efficiency.ts';
export { parseGate, parseRunGate } from './gate.ts';
export type { Gate } from './gate.ts';
export { comparedMetrics, intervalsOf, splitMetric } from './intervals.ts';
export type { ComparedMetric } from './intervals.ts';
export type { Shelf } from './column.ts';
export { countLimits } from './possible-count.ts';
export { makeMeter, meterFor } from './meter.ts';
export type { RecentFigures, Meter, MeterOptions } from './meter.ts';
export { quantileInterval } from './quantile-interval.ts';
export { histogramMethod } from './reading.ts';
export type { Reading } from './reading.ts';
export { slicesOf } from './slices.ts';
export type { Slices } from './slices.ts';
export { sliceStatistic } from './slice-statistic.ts';
export { parseSlo, runMetrics, statistics, timeMetrics, withinLimit } from './slo.ts';
export type { MetricWord, Slo, Statistic, TimeMetric } from './slo.ts';
export { normalQuantile, studentQuantile } from './student.ts';
export { factsOfPlan, summarise } from './summarise.ts';
export type { SummaryFacts } from './summarise.ts';
export { cdfOf, requestSpans, timelineOf } from './timeline.ts';
export type { RequestSpan, TimelineStep } from './timeline.ts';
export { makeTrace } from './trace.ts';
export type { Trace } from './trace.ts';
