import { clientBound } from './rules/client-bound.ts';
import { concurrencyNotReached } from './rules/concurrency-not-reached.ts';
import { datasetCycled } from './rules/dataset-cycled.ts';
import { failures } from './rules/failures.ts';
import { nothingOk } from './rules/nothing-ok.ts';
import { notStreamed } from './rules/not-streamed.ts';
import { partialRun } from './rules/partial-run.ts';
import { rateNotAchieved } from './rules/rate-not-achieved.ts';
import { tokensUnknown } from './rules/tokens-unknown.ts';
import { tooFewSamples } from './rules/too-few-samples.ts';
import { unaccountedRequests } from './rules/unaccounted-requests.ts';
import type { PointRule } from './rule.ts';

/** Every rule that judges one point: adding one is a file and a line. */
export const pointRules = [
  nothingOk,
  unaccountedRequests,
  clientBound,
  concurrencyNotReached,
  rateNotAchieved,
  partialRun,
  failures,
  tokensUnknown,
  tooFewSamples,
  datasetCycled,
  notStreamed,
] as const satisfies readonly PointRule[];
