import { aheadSetting, schedulers } from '../sim/index.ts';
import type { EngineProfile } from '../sim/index.ts';
import type { TraceFitOptions } from './fit-trace.ts';
import type { TracedRequest } from './request-trace.ts';
import type { ClockRules } from './step-clock.ts';

/**
 * The settings to try. Where it is not known whether steps are formed ahead, both; where the token budget is not known, the servers' usual ones; where the batch size is not known, a large one
 * and the round number just above the most requests that were seen between their first and last token at once.
 */
export function variantsOf(options: TraceFitOptions, train: readonly TracedRequest[]): TraceFitOptions[] {
  const { settings, scheduler } = options;
  const kind = schedulers[scheduler];
  const has = (name: string): boolean => Object.hasOwn(settings, name);
  const budgets = Object.hasOwn(kind.settings, budget) && !has(budget) ? usualBudgets : [null];
  const most = mostDecoding(train);
  const rounded = roundBatches.find((size) => size >= most) ?? most;
  const batches = has(kind.batchSetting) ? [null] : [...new Set([Math.max(largeBatch, rounded), rounded])];
  const aheads = Object.hasOwn(kind.settings, aheadSetting) && !has(aheadSetting) ? [false, true] : [false];
  return batches.flatMap((batch) =>
    budgets.flatMap((tokens) =>
      aheads.map((ahead) => ({
        ...options,
        settings: {
          ...settings,
          ...(batch === null ? {} : { [kind.batchSetting]: batch }),
          ...(tokens === null ? {} : { [budget]: Math.max(tokens, batch ?? 0) }),
          ...(ahead ? { [aheadSetting]: true } : {}),
        },
      })),
    ),
  );
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
export function rulesOf({
  name,
  settings,
}: NonNullable<EngineProfile['scheduler']>): Omit<ClockRules, 'bend' | 'beyond'> {
  const tokens = settings['max_num_batched_tokens'] ?? settings['maxPrefillTokens'] ?? settings['chunked_prefill_size'];
  return {
    prefillApart: name === 'vllm-v0' || name === 'mindie' || name === 'sglang',
    chunkTokens: typeof tokens === 'number' && tokens > 0 ? tokens : Infinity,
  };
}
