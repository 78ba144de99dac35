import type { EngineBoard } from './board.ts';
import type { EngineCounters } from './engine-events.ts';
import type { Front } from './front/front.ts';
import type { StepTally } from './step-tally.ts';

/** What an engine shows of itself; tokenBytes is what a token takes in a card's KV cache, null = nobody knows. */
export function engineCounters(
  board: EngineBoard,
  tally: StepTally,
  made: { promptTokens: number; generationTokens: number },
  tokenBytes: number | null,
  front: Front | null,
): EngineCounters {
  const { kv, running, waiting, heard, totals, prefixes } = board;
  const swapped = totals.swappedOutBlocks === totals.swappedInBlocks ? [] : waiting.all().filter((own) => own.swapped);
  // null = it is not known what a block holds, and there were some.
  const bytesOf = (blocks: number): number | null =>
    blocks === 0 ? 0 : tokenBytes === null ? null : blocks * kv.blockSize * tokenBytes;
  return {
    running: running.length,
    waiting: waiting.length + heard.length,
    kvUsedBlocks: kv.used,
    kvTotalBlocks: kv.total,
    kvBlockSize: kv.blockSize,
    kvUsageRatio: kv.usageRatio,
    kvPeakBlocks: kv.peak,
    kvCachedBlocks: prefixes?.idleBlocks ?? 0,
    promptTokensTotal: made.promptTokens,
    generationTokensTotal: made.generationTokens,
    preemptionsTotal: totals.preemptions,
    recomputedTokensTotal: totals.recomputedTokens,
    swappedOutBlocksTotal: totals.swappedOutBlocks,
    swappedInBlocksTotal: totals.swappedInBlocks,
    swappedOutBytesPerCardTotal: bytesOf(totals.swappedOutBlocks),
    swappedInBytesPerCardTotal: bytesOf(totals.swappedInBlocks),
    prefixFoundRatio:
      prefixes === null || prefixes.lookedUpTokens === 0 ? null : prefixes.foundTokens / prefixes.lookedUpTokens,
    prefixLookedUpTokensTotal: prefixes?.lookedUpTokens ?? 0,
    prefixFoundTokensTotal: prefixes?.foundTokens ?? 0,
    swapped: swapped.length,
    swappedBlocks: swapped.reduce((sum, own) => sum + own.blocks, 0),
    stepsTotal: tally.steps,
    busyMs: tally.busyMs,
    waitingMean: tally.waitingMean,
    runningMean: tally.runningMean,
    limitedMs: { ...tally.limitedMs },
    runningMost: tally.runningMost,
    ...(front !== null && { frontBacklogRatio: front.backlogRatio }),
  };
}
