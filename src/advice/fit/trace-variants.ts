import { schedulers } from '../../engine/sim/index.ts';
import type { EngineProfile, SchedulerName, SettingValue } from '../../engine/sim/index.ts';
import type { TraceFitOptions } from './fit-trace.ts';
import type { TracedRequest } from './request-trace.ts';
import type { GivenRules } from './step-clock.ts';

/**
 * The settings to try. Where the token budget is not known, the servers' usual ones; where the batch size is not known, a large one
 * and the round number just above the most requests that were seen between their first and last token at once.
 */
export function variantsOf(options: TraceFitOptions, train: readonly TracedRequest[]): TraceFitOptions[] {
  const { settings, scheduler } = options;
  const kind = schedulers[scheduler];
  const has = (name: string): boolean => Object.hasOwn(settings, name);
  const batches = has(kind.batchSetting) ? [null] : [...new Set([wideBatch(train), roundBatch(train)])];
  return batches.flatMap((batch) => {
    const sized = { ...settings, ...(batch === null ? {} : { [kind.batchSetting]: batch }) };
    const budgets = Object.hasOwn(kind.settings, budget) && !has(budget) ? usualBudgets : [null];
    return budgets.map((tokens) => ({
      ...options,
      settings: tokens === null ? sized : { ...sized, [budget]: allowedBudget(tokens, scheduler, sized, train) },
    }));
  });
}

/** A budget that the server takes: no smaller than its batch, nor than the longest prompt where prompts are not cut. */
export function allowedBudget(
  tokens: number,
  scheduler: SchedulerName,
  settings: Readonly<Record<string, SettingValue>>,
  requests: readonly TracedRequest[],
): number {
  const batch = Number(settings[schedulers[scheduler].batchSetting] ?? 0);
  const cuts = settings['enable_chunked_prefill'] !== false;
  const longest = cuts ? 0 : requests.reduce((most, { promptTokens }) => Math.max(most, promptTokens), 0);
  return Math.max(tokens, batch, longest);
}

/** The smallest size that people set which holds all that were seen to decode at once. */
function roundBatch(train: readonly TracedRequest[]): number {
  const most = mostDecoding(train);
  return roundBatches.find((size) => size >= most) ?? most;
}

/** A batch that was not seen to end. */
export function wideBatch(train: readonly TracedRequest[]): number {
  return Math.max(largeBatch, roundBatch(train));
}

/** The setting that says how many tokens a step may hold, and what people set. */
export const budget = 'max_num_batched_tokens';
export const usualBudgets = [512, 2048, 8192] as const;

/** vLLM's usual batch size: where one as large explains a trace best, its batch was not seen to end. */
export const largeBatch = 256;
/** Batch sizes that people set. */
export const roundBatches = [
  1, 2, 4, 8, 16, 24, 32, 48, 64, 80, 96, 100, 128, 160, 192, 200, 256, 320, 384, 400, 512, 768, 1024,
];

/** The most requests that were between their first and their last token at one moment. */
export function mostDecoding(train: readonly TracedRequest[]): number {
  const events = train.flatMap(({ arrivalMs, ttftMs, latencyMs }) => [
    { atMs: arrivalMs + ttftMs, change: 1 },
    { atMs: arrivalMs + latencyMs, change: -1 },
  ]);
  let now = 0;
  let most = 1;
  for (const { change } of events.toSorted((a, b) => a.atMs - b.atMs || a.change - b.change)) {
    now += change;
    most = Math.max(most, now);
  }
  return most;
}

/** How a clock of such a server is read. */
export function rulesOf({ name, settings }: NonNullable<EngineProfile['scheduler']>): GivenRules {
  const tokens = settings['max_num_batched_tokens'] ?? settings['maxPrefillTokens'] ?? settings['chunked_prefill_size'];
  return {
    prefillApart: name === 'vllm-v0' || name === 'mindie' || name === 'sglang',
    chunkTokens: typeof tokens === 'number' && tokens > 0 ? tokens : Infinity,
  };
}
