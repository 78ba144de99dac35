import { cachedPrompts } from './rules/cached-prompts.ts';
import { censoredPercentiles } from './rules/censored-percentiles.ts';
import { chunksNotTokens } from './rules/chunks-not-tokens.ts';
import { textInBursts } from './rules/text-in-bursts.ts';
import { clientBound } from './rules/client-bound.ts';
import { clientRoom } from './rules/client-room.ts';
import { clientStalls } from './rules/client-stalls.ts';
import { coldStart } from './rules/cold-start.ts';
import { concurrencyNotReached } from './rules/concurrency-not-reached.ts';
import { countsImpossible } from './rules/counts-impossible.ts';
import { countsDisagree } from './rules/counts-disagree.ts';
import { datasetCycled } from './rules/dataset-cycled.ts';
import { decodeStarvation } from './rules/decode-starvation.ts';
import { failures } from './rules/failures.ts';
import { figuresDisagree } from './rules/figures-disagree.ts';
import { frontBound } from './rules/front-bound.ts';
import { hostWait } from './rules/host-wait.ts';
import { inFlightImpossible } from './rules/in-flight-impossible.ts';
import { inFlightLow } from './rules/in-flight-low.ts';
import { integerMilliseconds } from './rules/integer-milliseconds.ts';
import { inverseThroughput } from './rules/inverse-throughput.ts';
import { kvBound } from './rules/kv-bound.ts';
import { lengthOffLabel } from './rules/length-off-label.ts';
import { lostClientWorkers } from './rules/lost-client-workers.ts';
import { lostWithWorker } from './rules/lost-with-worker.ts';
import { nothingOk } from './rules/nothing-ok.ts';
import { notStreamed } from './rules/not-streamed.ts';
import { overloaded } from './rules/overloaded.ts';
import { partialRun } from './rules/partial-run.ts';
import { percentilesImpossible } from './rules/percentiles-impossible.ts';
import { rateIdentityRule } from './rules/rate-identity.ts';
import { rateNotAchieved } from './rules/rate-not-achieved.ts';
import { resumedRun } from './rules/resumed-run.ts';
import { serverGone } from './rules/server-gone.ts';
import { serverRestarted } from './rules/server-restarted.ts';
import { serverSilent } from './rules/server-silent.ts';
import { shortRun } from './rules/short-run.ts';
import { sickWorker } from './rules/sick-worker.ts';
import { stuckRequest } from './rules/stuck-request.ts';
import { tableDisagrees } from './rules/table-disagrees.ts';
import { textlessAnswers } from './rules/textless-answers.ts';
import { textsMissing } from './rules/texts-missing.ts';
import { throughputIdentityRule } from './rules/throughput-identity.ts';
import { tokensUnknown } from './rules/tokens-unknown.ts';
import { tooFewSamples } from './rules/too-few-samples.ts';
import { unaccountedRequests } from './rules/unaccounted-requests.ts';
import { warmupOverlap } from './rules/warmup-overlap.ts';
import { cacheDiffers } from './comparison-rules/cache-differs.ts';
import { failuresDiffer } from './comparison-rules/failures-differ.ts';
import { invalidSide } from './comparison-rules/invalid-side.ts';
import { lengthsDiffer } from './comparison-rules/lengths-differ.ts';
import { noInterval } from './comparison-rules/no-interval.ts';
import { settingsDiffer } from './comparison-rules/settings-differ.ts';
import { simulatedSide } from './comparison-rules/simulated-side.ts';
import { weightsDiffer } from './comparison-rules/weights-differ.ts';
import { withinNoise } from './comparison-rules/within-noise.ts';
import type { ComparisonRule, NeighbourRule, PointRule, SideRule, SweepRule } from './rule.ts';
import { nonMonotonic } from './sweep-rules/non-monotonic.ts';
import { peakAndKnee } from './sweep-rules/peak-and-knee.ts';
import { runawayGeneration } from './sweep-rules/runaway-generation.ts';
import { serverChanged } from './sweep-rules/server-changed.ts';
import { samePrompts } from './sweep-rules/same-prompts.ts';
import { survivorBias } from './sweep-rules/survivor-bias.ts';

/** Every rule that judges one point: adding one is a file and a line. */
export const pointRules = [
  nothingOk,
  serverGone,
  unaccountedRequests,
  lostClientWorkers,
  stuckRequest,
  inFlightLow,
  inFlightImpossible,
  censoredPercentiles,
  rateIdentityRule,
  throughputIdentityRule,
  figuresDisagree,
  countsDisagree,
  countsImpossible,
  percentilesImpossible,
  clientBound,
  clientRoom,
  clientStalls,
  hostWait,
  sickWorker,
  lostWithWorker,
  concurrencyNotReached,
  rateNotAchieved,
  overloaded,
  serverSilent,
  serverRestarted,
  partialRun,
  resumedRun,
  failures,
  tableDisagrees,
  decodeStarvation,
  integerMilliseconds,
  warmupOverlap,
  chunksNotTokens,
  textInBursts,
  lengthOffLabel,
  textsMissing,
  textlessAnswers,
  tokensUnknown,
  coldStart,
  shortRun,
  tooFewSamples,
  datasetCycled,
  cachedPrompts,
  frontBound,
  kvBound,
  inverseThroughput,
  notStreamed,
] as const satisfies readonly PointRule[];

/** Rules that judge one point by its neighbours in the sweep. */
export const neighbourRules = [runawayGeneration] as const satisfies readonly NeighbourRule[];

/** Rules that judge a sweep as a whole. */
export const sweepRules = [
  peakAndKnee,
  nonMonotonic,
  survivorBias,
  samePrompts,
  serverChanged,
] as const satisfies readonly SweepRule[];

/** Rules that judge two runs set beside each other. */
export const comparisonRules = [
  settingsDiffer,
  cacheDiffers,
  failuresDiffer,
  lengthsDiffer,
  weightsDiffer,
  withinNoise,
] as const satisfies readonly ComparisonRule[];

/** Rules that judge one side of a comparison. */
export const sideRules = [invalidSide, simulatedSide, noInterval] as const satisfies readonly SideRule[];
