import { schedulers } from '../sim/index.ts';
import type { TraceFitOptions } from './fit-trace.ts';
import type { TracedRequest } from './request-trace.ts';

/**
 * The settings to try. Where the token budget is not known, the servers' usual ones; where the batch size is not known, a large one
 * and the round number just above the most requests that were seen between their first and last token at once.
 */
export function variantsOf(options: TraceFitOptions, train: readonly TracedRequest[]): TraceFitOptions[] {
  const { settings, scheduler } = options;
  const kind = schedulers[scheduler];
  const has = (name: string): boolean => Object.hasOwn(settings, name);
  const budget = 'max_num_batched_tokens';
  const budgets = Object.hasOwn(kind.settings, budget) && !has(budget) ? [512, 2048, 8192] : [null];
  const most = mostDecoding(train);
  const rounded = roundBatches.find((size) => size >= most) ?? most;
  const batches = has(kind.batchSetting) ? [null] : [...new Set([Math.max(largeBatch, rounded), rounded])];
  return batches.flatMap((batch) =>
    budgets.map((tokens) => ({
      ...options,
      settings: {
        ...settings,
        ...(batch === null ? {} : { [kind.batchSetting]: batch }),
        ...(tokens === null ? {} : { [budget]: Math.max(tokens, batch ?? 0) }),
      },
    })),
  );
}

/** vLLM's usual batch size: where one as large explains a trace best, its batch was not seen to end. */
export const largeBatch = 256;
/** Batch sizes that people set. */
const roundBatches = [
  1, 2, 4, 8, 16, 24, 32, 48, 64, 80, 96, 100, 128, 160, 192, 200, 256, 320, 384, 400, 512, 768, 1024,
];

/** The most requests that were between their first and their last token at one moment. */
function mostDecoding(train: readonly TracedRequest[]): number {
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
