import type { Sequence } from '../sequence.ts';
import { makeRoomToDecode } from './scheduler.ts';
import type { SchedulerState, Scheduler } from './scheduler.ts';
import { StageForecast } from './stage-forecast.ts';

/** MindIE's own names (ScheduleConfig); host memory is given in KV blocks. */
export interface MindieSettings {
  maxBatchSize: number;
  /** 0 = as large as maxBatchSize. */
  maxPrefillBatchSize: number;
  maxPrefillTokens: number;
  maxQueueDelayMicroseconds: number;
  prefillTimeMsPerReq: number;
  decodeTimeMsPerReq: number;
  /** true = stageSelectPolicy 1. */
  supportSelectBatch: boolean;
  /** 0 prefill first, 1 the waste rule, 2 least laxity first. */
  stageSelectPolicy: number;
  prefillExpectedTime: number;
  decodeExpectedTime: number;
  /** Sequences that may lie in host memory at once; 0 = preemption recomputes. */
  maxPreemptCount: number;
  /** KV blocks that fit into cpuMemSize. */
  cpuBlocks: number;
  /** Host memory filled beyond this share: recompute instead of swapping. */
  recomputeThreshold: number;
  /** ms: the MindSpore backend decodes at most maxPrefillBatchSize sequences, the oldest, to their end; the others wait with their first token. */
  backendType: 'atb' | 'ms';
}

/** MindIE: prefill and decode in steps of their own; which of them comes next is what stageSelectPolicy decides. */
export function mindie(settings: MindieSettings): Scheduler {
  const policy = settings.supportSelectBatch ? 1 : settings.stageSelectPolicy;
  const groupSize = settings.maxPrefillBatchSize || settings.maxBatchSize;
  const forecast = policy === 2 ? new StageForecast(settings) : null;
  const wantsPrefill =
    forecast === null ? (policy === 1 ? wasteRule(settings) : prefillFirst) : leastLaxity(settings, forecast);
  const host = hostMemory(settings);
  return {
    form(board) {
      forecast?.learn(board.lastStepMs);
      if (board.waiting.length > 0 && waitsForMore(board, settings)) return 'changing';
      if (wantsPrefill(board)) {
        const tokens = admit(board, settings, groupSize);
        if (tokens > 0) {
          forecast?.formedPrefill(tokens);
          return 'changing';
        }
      }
      const swappedIn = host.bringBack(board);
      const preempted = makeRoomToDecode(board, host.howToPreempt(board));
      const allDecode = settings.backendType === 'atb' || oldestOnly(board, groupSize);
      board.decodeAll();
      forecast?.formedDecode(board.decodable, board.kv.used);
      const blocked = board.waiting.length === 0 || policy === 0 || board.running.length >= settings.maxBatchSize;
      // A forecast learns from every step, so it is never steady.
      return forecast === null && blocked && allDecode && preempted === 0 && !swappedIn ? 'steady' : 'changing';
    },
  };
}

/** An idle engine gives the queue a moment to fill: its prefill batch closes by count, by tokens, or when the oldest has waited long enough. */
function waitsForMore(board: SchedulerState, settings: MindieSettings): boolean {
  if (board.running.length > 0) return false;
  const most = Math.min(settings.maxPrefillBatchSize || settings.maxBatchSize, settings.maxBatchSize);
  const untilMs = board.waiting.at(0).arrivalMs + settings.maxQueueDelayMicroseconds / 1000;
  if (board.waiting.length >= most || board.nowMs >= untilMs || board.waiting.at(0).preemptions > 0) return false;
  if (nextPrefillTokens(board, settings, most) >= settings.maxPrefillTokens) return false;
  board.rest(untilMs);
  return true;
}

/** Tokens of the prompts that the next prefill step would take if blocks allowed. */
function nextPrefillTokens(board: SchedulerState, settings: MindieSettings, mostPrompts: number): number {
  let tokens = 0;
  for (let i = 0; i < Math.min(mostPrompts, board.waiting.length) && tokens < settings.maxPrefillTokens; i++)
    tokens += board.remaining(board.waiting.at(i));
  return tokens;
}

function prefillFirst(board: SchedulerState): boolean {
  return board.waiting.length > 0;
}

/**
 * MindIE's waste rule: waste grows with every free slot while requests wait, and a prefill step comes once it exceeds the cost of
 * stopping the running sequences.
 */
function wasteRule(settings: MindieSettings): (board: SchedulerState) => boolean {
  let waste = 0;
  return (board) => {
    const running = board.running.length;
    if (board.waiting.length === 0) {
      waste = 0;
      return false;
    }
    if (running <= settings.maxBatchSize) waste += settings.decodeTimeMsPerReq * (settings.maxBatchSize - running);
    if (settings.prefillTimeMsPerReq * running > waste) return false;
    waste = 0;
    return true;
  };
}

/** The stage with the smaller share of its time limit left goes first; what a step will take is learnt from those that were. */
function leastLaxity(settings: MindieSettings, forecast: StageForecast): (board: SchedulerState) => boolean {
  const { prefillExpectedTime, decodeExpectedTime, maxBatchSize } = settings;
  return (board) => {
    const { waiting, running } = board;
    if (waiting.length === 0) return false;
    if (running.length === 0) return true;
    const free = Math.max(1, maxBatchSize - running.length);
    const tokens = nextPrefillTokens(board, settings, Math.min(settings.maxPrefillBatchSize || maxBatchSize, free));
    const waitedMs = board.nowMs - waiting.at(0).arrivalMs;
    const prefillLaxity = (prefillExpectedTime - waitedMs - forecast.prefillMs(tokens)) / prefillExpectedTime;
    const decodeMs = forecast.decodeMs(board.decodable, board.kv.used);
    return prefillLaxity < (decodeExpectedTime - decodeMs) / decodeExpectedTime;
  };
}

/** Forms a step of prompts; says how many tokens are in it. */
function admit(board: SchedulerState, settings: MindieSettings, mostPrompts: number): number {
  let prompts = 0;
  let tokens = 0;
  while (board.waiting.length > 0 && prompts < mostPrompts && board.running.length < settings.maxBatchSize) {
    const next = board.waiting.at(0);
    if (next.swapped) break;
    const more = board.remaining(next);
    if (prompts > 0 && tokens + more > settings.maxPrefillTokens) break;
    if (!board.prefill(next, more)) break;
    tokens += more;
    prompts++;
  }
  return tokens;
}

/** All running ones but the oldest group of the given size sit out; true = nobody does. */
function oldestOnly(board: SchedulerState, groupSize: number): boolean {
  const out = board.running.slice(groupSize);
  for (const sequence of out) board.sitOut(sequence);
  return out.length === 0;
}

function hostMemory(settings: MindieSettings): {
  howToPreempt(board: SchedulerState): (sequence: Sequence) => 'recompute' | 'swap';
  bringBack(board: SchedulerState): boolean;
} {
  let used = 0;
  let count = 0;
  return {
    howToPreempt: (board) => (sequence) => {
      const blocks = board.blocksHeld(sequence);
      const full = used + blocks > settings.cpuBlocks * settings.recomputeThreshold;
      if (count >= settings.maxPreemptCount || full || board.remaining(sequence) > 0) return 'recompute';
      used += blocks;
      count++;
      return 'swap';
    },
    bringBack(board) {
      let any = false;
      while (board.waiting.length > 0 && board.waiting.at(0).swapped && board.running.length < settings.maxBatchSize) {
        const next = board.waiting.at(0);
        const blocks = board.blocksHeld(next);
        // Needs one block more than its own, because it would be swapped out again at once.
        const spare = board.running.length === 0 ? 0 : board.blocksToDecode() + 1;
        if (blocks + spare > board.kv.free || !board.swapIn(next)) break;
        used -= blocks;
        count--;
        any = true;
      }
      return any;
    },
  };
}
