/**
 * Experiments: settings and a world go in, events come out while one lasts, and its folder stands in the store at the end.
 *
 * The only place where prompts, arrivals, a runner, meters, the audit and the store meet. Commands, the page, workers and
 * programs all come through here. It prints nothing: what happens is told as events.
 * Start at experiment.ts (run, sweep and find), then point-loop.ts (the one loop), measure-point.ts (one point) and
 * execute-run.ts (its requests). settings/plan-settings.ts is the one place for each setting's name, meaning and limits;
 * prepare/ looks at server and dataset before load; runners/ holds what answers: a server, many machines, or virtual time.
 */
export { startComputeThread } from './compute/compute-thread.ts';
export type { LabEvent } from './events.ts';
export { executeRun, SummaryNotKept } from './execute-run.ts';
export type { LiveFigures } from './execute-run.ts';
export { kindOf, runExperiment } from './experiment.ts';
export type { Experiment, ExperimentSettings, Outcome } from './experiment.ts';
export { fitAll } from './fit/fit-all.ts';
export { fitText } from './fit/fit-text.ts';
export type { FitDocument, NotFitted, SweepAsk } from './fit/fit-document.ts';
export type { TraceAsk } from './fit/fit-requests.ts';
export type { LabPoint } from './measure-point.ts';
export { listOf } from './points/point-list.ts';
export type { OwnParts } from './own-parts.ts';
export * from './prepare/assemble-plan.ts';
export { someModels } from './prepare/model-list.ts';
export { datasetOptionsOf, nowhere, planPoint } from './prepare/prepare.ts';
export type { OpenPrompts, Prepared, ServerWords } from './prepare/prepare.ts';
export { summaryAnew, summaryOfRequests, summaryOfRun, sweepOf } from './read-run.ts';
export { machinesOf } from './results/machine.ts';
export { comparisonOf, sidesOf } from './results/comparison.ts';
export { historyOf } from './results/history.ts';
export { importPaths, problemLines } from './results/import-files.ts';
export { isForeign } from './results/is-foreign.ts';
export { audited, keepImports } from './results/keep-imports.ts';
export type { AuditedSweep } from './results/keep-imports.ts';
export { readBeginning, readDocument, readJson, weightsInFolder } from './results/read-bounded.ts';
export { addressOf } from './results/address.ts';
export { figuresOf, fileForms, nameFor, pictureOf, renderForm, writeWhole } from './results/render.ts';
export type { FileForm, Rendered, RenderOptions } from './results/render.ts';
export {
  entryNamed,
  intervalsOfSources,
  isUnknownRun,
  sourcesOf,
  storedSource,
  traceOf,
} from './results/report-source.ts';
export type { ReportSource, SourcePlace } from './results/report-source.ts';
export { reporters } from './results/reporters.ts';
export type { ReporterName } from './results/reporters.ts';
export { redisPlace } from './runners/redis-place.ts';
export { checkRules } from './runners/worker-rules.ts';
export type { WorkerRules } from './runners/worker-rules.ts';
export { equipWorker } from './runners/worker-source.ts';
export type { WorkerSource } from './runners/worker-source.ts';
export { plainSettings, readPlanFile, readPlanText } from './settings/plan-file.ts';
export { findSettings, planSettings, sweepSettings } from './settings/plan-settings.ts';
export { readSettings, refuseLists } from './settings/read-settings.ts';
export { readVocabulary, throwMistakes } from './settings/read-vocabulary.ts';
export type { GivenSetting, Vocabulary, SettingsOf } from './settings/read-vocabulary.ts';
export {
  anyText,
  durationMs,
  durationWithin,
  oneOf,
  portNumber,
  positiveDurationMs,
  realNumber,
  someText,
  textFor,
  wholeNumber,
} from './settings/readers.ts';
export { flag, many, one } from './settings/setting.ts';
export type { Setting } from './settings/setting.ts';
export { queueName, workerSettings } from './settings/worker-settings.ts';
export { shownCommand } from './shown-command.ts';
export { startExperiment } from './start-experiment.ts';
export type { StartedExperiment } from './start-experiment.ts';
export { storeSelftestRun } from './store-selftest-run.ts';
export { runTune } from './tune/run-tune.ts';
export { workloadWords } from './tune/workload-words.ts';
export { version } from './version.ts';
export type { World } from './world.ts';
export { progressText, recoveryText, tuneScreen, tuneText } from './tune/tune-text.ts';
