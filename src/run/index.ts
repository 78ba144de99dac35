/**
 * One run from plan to verdict, whoever runs it: settings become a plan, a runner goes in, and the folder, the meter,
 * the audit and the live view come out.
 *
 * Runners are given to this room; it never knows whether sockets or virtual time answered. It prints nothing.
 * Start at execute-run.ts (the one loop), then assemble-plan.ts and words/plan-words.ts (every setting a plan has:
 * the one place for its name, meaning and limits), read-run.ts (stored runs, killed ones too).
 */
export * from './assemble-plan.ts';
export { executeRun } from './execute-run.ts';
export type { Afterwards, Progress, RunParts } from './execute-run.ts';
export { summaryAnew, summaryOfRun, sweepOf } from './read-run.ts';
export { nearest } from './words/nearest.ts';
export { findWords, planWords, sweepWords } from './words/plan-words.ts';
export { readWords, throwMistakes } from './words/read-words.ts';
export type { Given as GivenWord, Vocabulary, Words } from './words/read-words.ts';
export type { GridSide } from './words/grid-words.ts';
export type { Word } from './words/word.ts';
export { queueName, workerWords } from './words/worker-words.ts';
export { positiveDurationMs, wholeNumber } from './words/readers.ts';
