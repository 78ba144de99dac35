import { makeRoomToDecode } from './scheduler.ts';
import type { Scheduler, SchedulerLimits } from './scheduler.ts';

/**
 * Continuous batching, first come first served: every running sequence decodes in every step, and whole prompts join
 * the same step while the batch size, the prefill-token limit and the KV cache allow. When a running sequence
 * finds no free block, the one admitted last is preempted and recomputed later; such a step admits nobody.
 */
export function continuousFcfs(limits: SchedulerLimits): Scheduler {
  const maxTokens = limits.maxPrefillTokens ?? Infinity;
  return {
    form(board) {
      const admits = makeRoomToDecode(board) === 0;
      board.decodeAll();
      let prefillTokens = 0;
      while (admits && board.waiting.length > 0 && board.running.length < limits.maxBatchSize) {
        const next = board.waiting.at(0);
        const tokens = board.remaining(next);
        if (prefillTokens > 0 && prefillTokens + tokens > maxTokens) break;
        if (!board.prefill(next, tokens)) break;
        prefillTokens += tokens;
      }
      return admits && prefillTokens === 0 ? 'steady' : 'changing';
    },
  };
}
