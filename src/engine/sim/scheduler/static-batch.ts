import { makeRoomToDecode } from './scheduler.ts';
import type { SchedulerState, Scheduler } from './scheduler.ts';

/** A batch size is all that it has. */
export interface StaticSettings {
  maxBatchSize: number;
}

/** The batch that never refills: requests are taken together, and the next batch begins when the last of them is done. */
export function staticBatch(settings: StaticSettings): Scheduler {
  return {
    form(board) {
      if (admit(board, settings)) return 'changing';
      const preempted = makeRoomToDecode(board);
      board.decodeAll();
      const owesRecompute = board.waiting.length > 0 && board.waiting.at(0).preemptions > 0;
      return preempted > 0 || owesRecompute ? 'changing' : 'steady';
    },
  };
}

function admit(board: SchedulerState, settings: StaticSettings): boolean {
  const isNew = board.running.length === 0;
  let admitted = false;
  while (board.waiting.length > 0 && board.running.length < settings.maxBatchSize) {
    const next = board.waiting.at(0);
    // Members of the batch that lost their blocks come back before it is over.
    if (!isNew && (next.preemptions === 0 || board.blocksToDecode() > 0)) break;
    if (!board.prefill(next, board.remaining(next))) break;
    admitted = true;
  }
  return admitted;
}
