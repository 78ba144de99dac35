import type { Sequence } from '../sequence.ts';

/** Requests that wait, in the order they came; a preempted one stands in front. */
export interface WaitingView {
  readonly length: number;
  at(index: number): Sequence;
}

/** The KV cache as a scheduler may see it. */
export interface KvView {
  /** null = without limit. */
  readonly total: number | null;
  /** Infinity = without limit. */
  readonly free: number;
  readonly used: number;
  readonly blockSize: number;
  blocksFor(tokens: number): number;
}

/**
 * What a scheduler sees and does while it forms one step. Everything it does here takes effect at once: blocks are taken
 * or given back, sequences move between the queue and the running set.
 */
export interface SchedulerState {
  readonly nowMs: number;
  /** How long the last step took that was not a rest; null = there was none. */
  readonly lastStepMs: number | null;
  readonly kv: KvView;
  readonly waiting: WaitingView;
  /** In the order of admission, whether their prompt is whole or not. */
  readonly running: readonly Sequence[];
  /** Running ones that can decode. */
  readonly decodable: number;
  /** Running ones whose prompt is not whole, in the order of admission. */
  readonly prefilling: readonly Sequence[];
  /** Prompt tokens, and tokens to recompute, that are still to be prefilled for it; those in the prefix cache are not. */
  remaining(sequence: Sequence): number;
  /** Free blocks that prefilling so many more of its tokens would take. */
  blocksToPrefill(sequence: Sequence, tokens: number): number;
  /** Blocks that a running one holds, or a swapped one held. */
  blocksHeld(sequence: Sequence): number;
  /** Free blocks that one decode step of everybody would take. */
  blocksToDecode(): number;
  /** Everybody who can decodes in this step; throws when the blocks do not suffice. */
  decodeAll(): void;
  /** This one does not decode in this step, though it could; to be said before decodeAll. */
  sitOut(sequence: Sequence): void;
  /** So many tokens of it are prefilled in this step; a waiting one is admitted. False, and nothing done, when blocks lack. */
  prefill(sequence: Sequence, tokens: number): boolean;
  /** Throws one out of the running set, to the front of the queue: its KV is lost, or moved to host memory. */
  preempt(sequence: Sequence, how: 'recompute' | 'swap'): void;
  /** Nothing runs until the given moment, or the next arrival if that is sooner: an engine that waits for more requests. Only where nothing else is in the step. */
  rest(untilMs: number): void;
  /** Brings the KV of a waiting one back from host memory; it decodes from this step on. False when blocks lack. */
  swapIn(sequence: Sequence): boolean;
}

/**
 * Forms the next step on a board that has something to do. `steady` promises that, until a request arrives, ends, is cancelled
 * or a block lacks, it would form the same decode step again and keep no other state: the core may then skip asking.
 */
export interface Scheduler {
  form(board: SchedulerState): 'steady' | 'changing';
}

/** The limits that the plainest scheduler works under. */
export interface SchedulerLimits {
  /** Sequences running at once. */
  maxBatchSize: number;
  /** Prompt tokens prefilled in one step; a longer prompt goes alone. null = no limit. */
  maxPrefillTokens: number | null;
}

/** Preempts the youngest by recompute until a decode step of the rest has its blocks; says how many went. */
export function makeRoomToDecode(
  board: SchedulerState,
  how: (sequence: Sequence) => 'recompute' | 'swap' = () => 'recompute',
): number {
  let gone = 0;
  while (board.blocksToDecode() > board.kv.free) {
    const youngest = board.running.at(-1)!;
    board.preempt(youngest, how(youngest));
    gone++;
  }
  return gone;
}
