import { makeRoomToDecode } from './scheduler.ts';
import type { SchedulerState, Scheduler } from './scheduler.ts';

/** SGLang's own names. */
export interface SglangSettings {
  max_running_requests: number;
  max_prefill_tokens: number;
  /** Tokens of a long prompt per step; −1 = prompts are not cut. */
  chunked_prefill_size: number;
  /** Share of the blocks that admission leaves to the running ones' answers. */
  new_token_ratio: number;
}

/**
 * SGLang's default: as long as prompts can be admitted, extend steps follow one another and nobody decodes; a long prompt
 * is cut into chunks, one such prompt at a time. Where blocks lack, the youngest is retracted and recomputed.
 */
export function sglang(settings: SglangSettings): Scheduler {
  const chunkSize = settings.chunked_prefill_size > 0 ? settings.chunked_prefill_size : Infinity;
  return {
    form(board) {
      const extend: Extend = { budget: Math.min(settings.max_prefill_tokens, chunkSize), any: false };
      goOn(board, extend);
      admit(board, settings, extend);
      if (extend.any) return 'changing';
      const retracted = makeRoomToDecode(board);
      board.decodeAll();
      return retracted > 0 ? 'changing' : 'steady';
    },
  };
}

/** An extend step being formed: the tokens it has left, and whether anything is in it. */
interface Extend {
  budget: number;
  any: boolean;
}

function goOn(board: SchedulerState, extend: Extend): void {
  for (const sequence of board.prefilling) {
    const tokens = Math.min(board.remaining(sequence), extend.budget);
    if (tokens > 0 && board.prefill(sequence, tokens)) {
      extend.budget -= tokens;
      extend.any = true;
    }
  }
}

function admit(board: SchedulerState, settings: SglangSettings, extend: Extend): void {
  const cuts = settings.chunked_prefill_size > 0;
  while (extend.budget > 0 && board.waiting.length > 0 && board.running.length < settings.max_running_requests) {
    const next = board.waiting.at(0);
    const remaining = board.remaining(next);
    const whole = extend.any ? 0 : remaining;
    const tokens = remaining <= extend.budget ? remaining : cuts ? extend.budget : whole;
    if (tokens === 0 || !hasRoom(board, tokens, settings) || !board.prefill(next, tokens)) break;
    extend.budget -= tokens;
    extend.any = true;
  }
}

function hasRoom(board: SchedulerState, tokens: number, settings: SglangSettings): boolean {
  if (board.kv.total === null || board.running.length === 0) return true;
  return board.kv.blocksFor(tokens) + Math.floor(settings.new_token_ratio * board.kv.total) <= board.kv.free;
}
