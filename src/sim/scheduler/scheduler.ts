import type { KvBlocks } from '../kv/kv-blocks.ts';

/**
 * One request inside the engine, as a scheduler may see it. It does not hold the length of the answer:
 * no real scheduler knows it, and one that peeked would predict too well.
 */
export interface Sequence {
  readonly id: number;
  readonly inputTokens: number;
  readonly arrivalMs: number;
  /** Output tokens so far. */
  generatedTokens: number;
  /** Tokens whose KV is in the cache. Below input + generated: prefill (or recompute) is still to do. */
  computedTokens: number;
}

/** So many tokens of one sequence's prompt, prefilled in one step. */
export interface PrefillChunk {
  sequence: Sequence;
  tokens: number;
}

/** What runs in one step. A sequence stands in it at most once. */
export interface Batch {
  decodes: readonly Sequence[];
  prefills: readonly PrefillChunk[];
  /** Thrown out of the running set to make room; they start again from the front of the queue. */
  preempted: readonly Sequence[];
}

/**
 * Forms the next step. It reserves in `kv` what the batch needs and releases what it preempts;
 * the engine core moves the sequences between the queue and the running set accordingly.
 */
export interface Scheduler {
  /** waiting and running are in the order of arrival and of admission; both are to be read only. */
  form(waiting: readonly Sequence[], running: readonly Sequence[], kv: KvBlocks): Batch;
}

/** The limits that a scheduler works under. */
export interface SchedulerLimits {
  /** Sequences running at once. */
  maxBatchSize: number;
  /** Prompt tokens prefilled in one step; a longer prompt goes alone. null = no limit. */
  maxPrefillTokens: number | null;
}
