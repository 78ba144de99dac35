import type { PromptKeys } from './prefix-keys.ts';

/**
 * One request inside the engine, as a scheduler may see it. It does not hold the length of the answer:
 * no real scheduler knows it, and one that peeked would predict too well.
 */
export interface Sequence {
  readonly id: number;
  readonly inputTokens: number;
  readonly arrivalMs: number;
  /** Tokens whose KV is in the cache while the prompt is not whole yet; its prompt is whole when it decodes. */
  readonly computedTokens: number;
  /** Times it was thrown out of the running set. */
  readonly preemptions: number;
  /** Its KV lies in host memory, waiting to be swapped in. */
  readonly swapped: boolean;
}

/** What the core keeps of a request besides what a scheduler sees. Progress of a decoding one is not stored: see generatedAt. */
export class CoreSequence implements Sequence {
  computedTokens = 0;
  preemptions = 0;
  swapped = false;
  /** waiting, prompt not whole, decoding, or gone. */
  state: 'waiting' | 'prefilling' | 'decoding' | 'gone' = 'waiting';
  /** Output tokens made before the present stretch of decoding. */
  madeBefore = 0;
  /** The engine's decode-step number at which the present stretch began. */
  joinedAt = 0;
  /** Decode-step number after which it is done. */
  finishAt = 0;
  /** KV blocks that it holds, as of `joinedAt` for a decoding one. */
  blocks = 0;
  /** Of those, the first so many are known to the prefix cache. */
  sharedBlocks = 0;
  /** Blocks of the same text were cached while it prefilled its own: what follows stays its own. */
  keepsApart = false;
  /** Prompt tokens that are known to be in the prefix cache, where no keys say so. */
  sparedTokens = 0;
  /** Prompt tokens taken from the prefix cache when it was first admitted; null = none were looked up. */
  cachedTokens: number | null = null;
  /** Tokens whose KV was lost when it was preempted, and is not computed again yet. */
  lostTokens = 0;
  /** Its place in the order of admission. */
  admission = 0;
  firstTokenMs = 0;
  /** When the engine let its first token go, where a front keeps it longer. */
  firstMadeMs = 0;
  /** Times of the tokens before the present stretch. */
  earlierMs: number[] | null = null;
  /** The step's chunk for it; 0 = none. */
  chunk = 0;
  /** Sits the present decode step out. */
  sitsOut = false;

  constructor(
    readonly id: number,
    readonly inputTokens: number,
    readonly outputTokens: number,
    readonly arrivalMs: number,
    /** Keys of its prompt's blocks; null = nobody told. */
    public keys: PromptKeys | null,
    /** What chance makes of its prompt. */
    readonly lot: number,
  ) {}

  /** Output tokens after so many decode steps of the engine. */
  generatedAt(decodeSteps: number): number {
    return this.state === 'decoding' ? this.madeBefore + decodeSteps - this.joinedAt : this.madeBefore;
  }
}
