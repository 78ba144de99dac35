import type { PromptKeys } from './prefix-keys.ts';

/** One request as it enters the engine. Ids are never used twice. */
export interface EngineRequest {
  id: number;
  inputTokens: number;
  /** How many tokens the answer will have; only the core knows, never the scheduler. */
  outputTokens: number;
  arrivalMs: number;
  /** Prompt tokens that the prefix cache is known to spare it, where nobody knows whose beginning it shares; absent = none. */
  sparedTokens?: number;
  /** A number that stands for the prompt, on which its chance hangs; absent = the id. */
  prompt?: number;
  /** Keys of the prompt's blocks, by which shared beginnings are found; absent = it shares nothing. */
  keys?: PromptKeys;
}

/** A step under way. */
export interface Step {
  startMs: number;
  endMs: number;
  batchSize: number;
  prefillTokens: number;
}

/** One output token, at the end of the step that made it. */
export interface Emission {
  id: number;
  /** 0 = the first token. */
  tokenIndex: number;
  finished: boolean;
  /** With a first token: prompt tokens that the prefix cache spared; absent = none were looked up. */
  cachedTokens?: number;
}

/** A request that is done. */
export interface Finish {
  id: number;
  firstTokenMs: number;
  endMs: number;
  /** When its first and its last token left the engine, where a front or a launch keeps them longer. */
  madeMs?: { first: number; last: number };
  /** When each of its tokens came out; empty where the core keeps no times. */
  tokenAtMs: number[];
  /** Prompt tokens that the prefix cache spared; null = none were looked up. */
  cachedTokens: number | null;
}

/** What an engine shows of itself. */
export interface EngineCounters {
  running: number;
  waiting: number;
  kvUsedBlocks: number;
  /** null = without limit. */
  kvTotalBlocks: number | null;
  kvBlockSize: number;
  /** null = without limit. */
  kvUsageRatio: number | null;
  kvPeakBlocks: number;
  /** Blocks that nobody uses but that hold the beginnings of earlier prompts; they count as free. */
  kvCachedBlocks: number;
  promptTokensTotal: number;
  generationTokensTotal: number;
  preemptionsTotal: number;
  /** Tokens whose KV was lost and computed again. */
  recomputedTokensTotal: number;
  swappedOutBlocksTotal: number;
  swappedInBlocksTotal: number;
  /** The same in bytes on each card; null = the profile does not say what a token takes. */
  swappedOutBytesPerCardTotal: number | null;
  swappedInBytesPerCardTotal: number | null;
  /** Of the prompt tokens with a shared beginning, those found in the prefix cache; null = none were looked up. */
  prefixFoundRatio: number | null;
  /** Prompt tokens with a shared beginning that were looked up in the prefix cache, and those found there. */
  prefixLookedUpTokensTotal: number;
  prefixFoundTokensTotal: number;
  /** Sequences whose KV is in the host's memory now. */
  swapped: number;
  swappedBlocks: number;
  stepsTotal: number;
  /** Time spent in steps. */
  busyMs: number;
  /** Requests that a step left waiting, and those running, in the mean over the time spent in steps. */
  waitingMean: number;
  runningMean: number;
  /** Time spent in steps that left requests waiting: for room in the batch, for KV blocks, for what a step may prefill. */
  limitedMs: { batch: number; kv: number; prefill: number };
  /** The most requests that ran in one step. */
  runningMost: number;
  /** Time that steps' tokens waited for the front, divided by the time it spent on them; absent = there is no front. */
  frontBacklogRatio?: number;
}
