/**
 * Exchanges → figures: latency, first token, gaps between tokens, throughput, lateness, goodput, the steady window.
 *
 * One meter per run takes exchanges as they end; meters of the same run merge into the meter of all their exchanges,
 * exactly and in any order. The room computes and never judges (that is audit) and knows no clock: all times come
 * with the exchanges. Unknown is null. Every figure is a formula in docs/reference/metrics.md.
 * How sure a figure is (order statistics, bootstrap) is told by intervals.ts and change.ts, over a Trace.
 * Start reading at meter.ts, then reading.ts (what is read), meter-state.ts (what is remembered) and token-reads.ts.
 */
export { changeBetween, estimate, runSigma } from './change.ts';
export { standingOf } from './certainty.ts';
export { checkSlo, metricOf, promisesKept } from './check-slo.ts';
export type { ComparedMetricRow, ComparedRun, GateResult, MetricChange } from './compare.ts';
export { compareSweeps } from './compare-sweeps.ts';
export type { ComparedSweep, Comparison } from './compare-sweeps.ts';
export { FlowBook } from './flow.ts';
export { SilenceBook } from './silence.ts';
export type { LoadFinding } from './load-finding.ts';
export { roofOf, withRoof } from './roof.ts';
export type { Roof } from './roof.ts';
export { efficiencyOf, measuredMachine } from './efficiency.ts';
export type { MachineFacts, MachineOf } from './efficiency.ts';
export { fixedSpeeds, frontierOf, frontierPoints, frontierSpeeds, frontierUnits, throughputAt } from './frontier.ts';
export type { FrontierPoint, FrontierSpeed, FrontierUnit } from './frontier.ts';
export { parseGate, parseRunGate } from './gate.ts';
export type { Gate } from './gate.ts';
export { comparedMetrics, intervalsOf, splitMetric } from './intervals.ts';
export type { Shelf } from './column.ts';
export { countLimits, possibleCount } from './possible-count.ts';
export { withoutTokens } from './reading.ts';
export { makeMeter, meterFor } from './meter.ts';
export type { RecentFigures, Meter } from './meter.ts';
export { quantileInterval } from './quantile-interval.ts';
export { slicesOf } from './slices.ts';
export { sliceStatistic } from './slice-statistic.ts';
export { parseSlo, runMetrics, statistics, timeMetrics, withinLimit } from './slo.ts';
export type { Slo, Statistic } from './slo.ts';
export { normalQuantile, regularizedBeta, studentQuantile } from './student.ts';
export { factsOfPlan, summarise } from './summarise.ts';
export { trendOf } from './trend.ts';
export type { HistoryRun, TrendChange, TrendCurve } from './trend.ts';
export { cdfOf, requestSpans, timelineOf } from './timeline.ts';
export type { TimelineStep } from './timeline.ts';
export { makeTrace } from './trace.ts';
export type { Trace } from './trace.ts';
