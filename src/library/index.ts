/**
 * llmdyno for programs: what `import … from 'llmdyno'` gives. Experiments, stored results, audit, comparison, import,
 * capacity plans, and the types of what a program may bring of its own.
 *
 * Nothing is measured, judged or printed here: the rooms do that, and this one reads plain settings and hands on. What is
 * not exported here is nobody's to import; docs/guide/library.md says what stays as it is across versions and has an example
 * for every name, which test/e2e/library.test.ts runs from the packed package.
 * Start at experiments.ts (what is carried out), then results.ts (what is read); surroundings.ts is the world of a program.
 */
export type { HttpCall, Listener, Protocol } from '../client/protocol/index.ts';
export { exitCodes, UserError } from '../core/index.ts';
export type { Exchange, Finding, Mistake, Prompt, RunPlan, Summary, Sweep } from '../core/index.ts';
export { listedDataset } from '../inputs/dataset/index.ts';
export type { Dataset } from '../inputs/dataset/index.ts';
export type { FitDocument, LabEvent, Outcome, OwnParts } from '../lab/index.ts';
export { reporters, version } from '../lab/index.ts';
export { planDocument as planCapacity } from '../advice/plan/index.ts';
export type { PlanAsked as CapacityQuestion, PlanDocument as CapacityPlan } from '../advice/plan/index.ts';
export type { PointRule } from '../results/audit/index.ts';
export type { Reporter } from '../results/report/index.ts';
export { builtinProfiles, readProfile } from '../engine/sim/index.ts';
export type { EngineProfile } from '../engine/sim/index.ts';
export { listRuns as listResults, readAnswers, readExchanges as readRequests } from '../results/store/index.ts';
export type { TuneDocument } from '../advice/tune/index.ts';
export { find, fit, run, simulate, sweep, tune } from './experiments.ts';
export type { FindSettings, RunSettings, SweepSettings } from './experiments.ts';
export { audit, compare, importFiles, measure, readResults } from './results.ts';
export type { Result } from './results.ts';
export type { Surroundings } from './surroundings.ts';
