import type { DistributionName, FactKey } from '../reading/fact-key.ts';
import type { PointDraft } from '../reading/point-draft.ts';

/**
 * guidellm: metric → distribution and scale. Its "inter token latency" is a mean per request without the first token,
 * which is our TPOT; its "time per output token" counts the first token in and has no place here.
 */
export const guidellmDistributions: Record<string, { name: DistributionName; scale: number }> = {
  request_latency: { name: 'latencyMs', scale: 1000 },
  time_to_first_token_ms: { name: 'ttftMs', scale: 1 },
  inter_token_latency_ms: { name: 'tpotMs', scale: 1 },
  prompt_token_count: { name: 'inputTokens', scale: 1 },
  output_token_count: { name: 'outputTokens', scale: 1 },
  request_scheduled_latency: { name: 'latencyFromDueMs', scale: 1000 },
  request_dispatch_delay: { name: 'latenessMs', scale: 1000 },
};

/** guidellm: metric → single figure, the mean over successful requests. */
export const guidellmRates: Record<string, FactKey> = {
  requests_per_second: 'requestsPerSec',
  prompt_tokens_per_second: 'inputTokensPerSec',
  output_tokens_per_second: 'outputTokensPerSec',
  tokens_per_second: 'totalTokensPerSec',
  request_concurrency: 'concurrencyAchieved',
};

/** "concurrent@4", "constant@2.5" …: how the load was made. */
export function settleGuidellm(draft: PointDraft, strategy: string, level: number | null): void {
  const closed = strategy === 'concurrent' || strategy === 'synchronous';
  draft.kind = closed ? 'closed' : strategy === 'replay' ? 'replay' : 'open';
  if (strategy === 'synchronous') draft.derived('load.concurrency', 1);
  else if (closed && level !== null) draft.derived('load.concurrency', level);
  else if ((strategy === 'constant' || strategy === 'poisson') && level !== null)
    draft.derived('load.ratePerSec', level);
  draft.percentileMethod = 'guidellm: one of the sorted values, not interpolated';
  draft.tokenSource = 'server';
  draft.stream = draft.facts.has('ttftMs.mean') ? true : null;
}
