/**
 * A serving engine in virtual time: what a step costs (cost/), who is in it (scheduler/), which KV blocks are held (kv/),
 * and a runner that plays a whole run plan against it without sockets or waiting.
 *
 * Knows no clock: EngineCore is told the time, so that the virtual-time runner here and the HTTP engine in src/engine/http
 * drive the very same code. A scheduler never sees how long an answer will be. Lengths that nobody gave are
 * estimated in token-estimate.ts and answers worded in answer-words.ts, for both drivers.
 *
 * Start reading at engine-core.ts, then scheduler/scheduler.ts and virtual-run.ts.
 */
export { answerWord, textKey } from './answer-words.ts';
export { builtinProfile, builtinProfiles, defaultProfileName } from './builtin-profiles.ts';
export type { LinearCost } from './cost/linear-cost.ts';
export { EngineCore } from './engine-core.ts';
export type { Emission, EngineCounters, EngineRequest, Finish, Step } from './engine-events.ts';
export { WayIn } from './front/way-in.ts';
export { ServedEngine } from './served-engine.ts';
export type { EngineProfile, FittedDoubt, FittedReach } from './engine-profile.ts';
export { engineStory, saturationWords } from './engine-story.ts';
export { isMemoryWord, memoryWords, withMemory } from './memory-settings.ts';
export { simFaultNames, parseSimFault, runawayTokens, starvedProfile } from './sim-fault.ts';
export type { SimFault } from './sim-fault.ts';
export { promptKeys, textKeys, tokenKeys } from './prefix-keys.ts';
export type { PromptKeys } from './prefix-keys.ts';
export { readProfile } from './read-profile.ts';
export { continuousFcfs } from './scheduler/continuous-fcfs.ts';
export type { Scheduler } from './scheduler/scheduler.ts';
export { settingConflicts } from './scheduler/setting-conflicts.ts';
export {
  aheadSetting,
  filledSettings,
  mostRunningOf,
  parseSetting,
  schedulerNames,
  schedulers,
  settingMistakes,
} from './scheduler/schedulers.ts';
export type { SchedulerName, SettingRule, SettingValue } from './scheduler/schedulers.ts';
export type { Sequence } from './sequence.ts';
export { saturationOf } from './saturation.ts';
export type { Saturation } from './saturation.ts';
export { makeSimRunner } from './sim-runner.ts';
export type { SimRunner } from './sim-runner.ts';
export {
  drawOutputTokens,
  estimateTokens,
  isMostlyCjk,
  textOfContent,
  textOfPrompt,
  wishedTokens,
} from './token-estimate.ts';
