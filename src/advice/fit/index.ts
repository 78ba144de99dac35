/**
 * Measured points become an engine profile: what a step costs and what limits the batch, found with the simulator in the
 * loop, with intervals and the error on what was held out.
 *
 * Pure. Points are chosen by where they lie, never by how well they come out; what the audit calls unusable is left out and
 * named. A fit is never shown without what it was fitted to.
 * Start reading at fit-sweep.ts (aggregate sweeps), fit-trace.ts (one line per request) and runs/fit-runs.ts (several runs with all their tokens).
 */
export { choosePoints } from './choose-points.ts';
export { closedRun } from './closed-run.ts';
export type { ClosedLoad, RunFigures } from './closed-run.ts';
export { usablePoints } from './fit-point.ts';
export type { ExcludedPoint, FitPoint } from './fit-point.ts';
export { fitSweep } from './fit-sweep.ts';
export type { SweepFit, SweepFitOptions } from './fit-sweep.ts';
export { heldOutOf, interpolationOf } from './held-out.ts';
export type { HeldOut } from './held-out.ts';
export type { ScoredMetric } from './scored-metrics.ts';
export { fitTrace } from './fit-trace.ts';
export type { TraceFit, TraceFitOptions } from './fit-trace.ts';
export { nextForProbes, nextForTrace } from './next-measurement.ts';
export type { NextMeasurement } from './next-measurement.ts';
export { replay } from './replay.ts';
export { readTrace, traceOfExchanges } from './request-trace.ts';
export type { TracedRequest } from './request-trace.ts';
export { fitProbes, sightOf } from './fit-probes.ts';
export type { ProbeFit, ProbeSight } from './fit-probes.ts';
export { loadsOf } from './sweep-loads.ts';
export { scoreTrace } from './trace-score.ts';
export { measuredRun } from './runs/measured-run.ts';
export type { MeasuredRun, RunRequest } from './runs/measured-run.ts';
export { playRun } from './runs/play-run.ts';
export { fitRuns } from './runs/fit-runs.ts';
export type { RunsFit } from './runs/fit-runs.ts';
export { withEngine } from './runs/misfit.ts';
export { beyond } from './runs/reach.ts';
export { waitsInFront } from './runs/misfit.ts';
export { predictRun } from './runs/predict-run.ts';
export type { RunPrediction } from './runs/predict-run.ts';
export { figuresOf } from './runs/run-figures.ts';
