/**
 * Experiments over a server's settings: a search under SLOs, arms without search, and the server's life between trials.
 *
 * The thinking is pure and kept apart (space, surrogate, next-step, verdict, variants): the next trial is a function of the
 * problem and the trials so far, so a killed search goes on where it was. Worldly files change configs, start and stop
 * processes and write the journal; how a point is measured is given to this room as a function. It prints nothing.
 * Only processes that were started here are ever stopped, and the original config comes back whatever happens.
 * The loop over trials is the lab's. Start reading at next-step.ts (the search) and server.ts (the server's life).
 */
export { rankChosen } from './choose-best.ts';
export { completeSummary } from './complete-summary.ts';
export { configMistakes, sha256 } from './config-file.ts';
export { ConfigKeeper } from './config-keeper.ts';
export { engineFamily, roleOf, schedulerSettings } from './engine-family.ts';
export { requestsOfTrial } from './engine-of-runs.ts';
export type { TrialRun } from './engine-of-runs.ts';
export { findMax } from './find-max.ts';
export type { Found, Probe } from './find-max.ts';
export { readGoal } from './goal.ts';
export { figuresOf, readSlos } from './goal-metrics.ts';
export { initFile, initNames } from './init-file.ts';
export { calibrationPoints } from './calibration.ts';
export { openJournal, readJournal } from './journal.ts';
export type { Journal } from './journal.ts';
export { nextStep } from './next-step.ts';
export type { NextStep, StopReason } from './next-step.ts';
export { outcomeWords, pointWords, round, verdictWords } from './paragraph.ts';
export { readTuneFile } from './read-tune-file.ts';
export type { TuneRequest } from './read-tune-file.ts';
export { recover, resumable, unfinishedTunes } from './recover.ts';
export type { Recovery } from './recover.ts';
export { evaluateRunner, serverRunner } from './run-trial.ts';
export type { TrialExecutor, TrialRequest, TrialResult, TrialRunner } from './run-trial.ts';
export { Server } from './server.ts';
export { pointAt, sizeOf } from './space.ts';
export { patchOf, tuneDocument } from './make-tune-document.ts';
export type { TuneFacts } from './make-tune-document.ts';
export { trialSize } from './trial-size.ts';
export type { Trial } from './trial.ts';
export type { TuneProblem } from './problem.ts';
export { readYaml } from './yaml-lines.ts';
export { tuneJsonSchemas, tuneSchema } from './tune-document.ts';
export type { TuneDocument } from './tune-document.ts';
export { nextArm } from './variants.ts';
export type { Arm } from './variants.ts';
export { paretoOfTune, trialsFigure } from './tune-figures.ts';
