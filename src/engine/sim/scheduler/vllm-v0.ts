import type { Sequence } from '../sequence.ts';
import { makeRoomToDecode } from './scheduler.ts';
import type { SchedulerState, Scheduler } from './scheduler.ts';

/** vLLM's own names; host memory is given in KV blocks. */
export interface VllmV0Settings {
  max_num_seqs: number;
  max_num_batched_tokens: number;
  /** Share of the blocks that admission leaves free. */
  watermark: number;
  preemption_mode: 'recompute' | 'swap';
  /** KV blocks that fit into swap_space. */
  num_cpu_blocks: number;
}

/**
 * vLLM V0 without chunked prefill: whole prompts go first, in steps of their own, while the batch, the token limit and the
 * watermark allow; only when none can be admitted do the running sequences decode. Where blocks lack, the youngest goes, by
 * recompute or to host memory; while anything is swapped out nothing new is admitted.
 */
export function vllmV0(settings: VllmV0Settings): Scheduler {
  let hostBlocks = settings.num_cpu_blocks;
  const howToPreempt =
    (board: SchedulerState) =>
    (sequence: Sequence): 'recompute' | 'swap' => {
      if (settings.preemption_mode !== 'swap' || board.remaining(sequence) > 0) return 'recompute';
      const blocks = board.blocksHeld(sequence);
      if (blocks > hostBlocks) return 'recompute';
      hostBlocks -= blocks;
      return 'swap';
    };
  return {
    form(board) {
      const swapped = board.waiting.length > 0 && board.waiting.at(0).swapped;
      if (!swapped && admit(board, settings)) return 'changing';
      const preempted = makeRoomToDecode(board, howToPreempt(board));
      let changed = preempted > 0;
      while (preempted === 0 && board.waiting.length > 0 && board.waiting.at(0).swapped) {
        const next = board.waiting.at(0);
        if (board.running.length >= settings.max_num_seqs) break;
        const blocks = board.blocksHeld(next);
        const spare = board.running.length === 0 ? 0 : board.blocksToDecode() + 1;
        if (blocks + spare > board.kv.free || !board.swapIn(next)) break;
        hostBlocks += blocks;
        changed = true;
      }
      board.decodeAll();
      return changed ? 'changing' : 'steady';
    },
  };
}

function admit(board: SchedulerState, settings: VllmV0Settings): boolean {
  let budget = settings.max_num_batched_tokens;
  let any = false;
  const watermark = Math.floor(settings.watermark * (board.kv.total ?? 0));
  while (board.waiting.length > 0 && board.running.length < settings.max_num_seqs) {
    const next = board.waiting.at(0);
    const tokens = board.remaining(next);
    if (next.swapped || (tokens > budget && any)) break;
    const spare = board.running.length === 0 ? 0 : watermark;
    if (board.blocksToPrefill(next, tokens) + spare > board.kv.free) break;
    if (!board.prefill(next, tokens)) break;
    budget -= tokens;
    any = true;
  }
  return any;
}
