import type { Sequence } from '../sequence.ts';
import type { SchedulerState, Scheduler } from './scheduler.ts';

/** vLLM's own names. */
export interface VllmV1Settings {
  max_num_seqs: number;
  max_num_batched_tokens: number;
  enable_chunked_prefill: boolean;
  /** A prompt chunk is never longer; 0 = no such limit. */
  long_prefill_token_threshold: number;
  /** Prompts that may be in the middle at once. */
  max_num_partial_prefills: number;
  /** A step is formed while the one before it runs: who comes meanwhile is let in one step later. The engine sees to it. */
  async_scheduling: boolean;
}

/**
 * vLLM V1: one token budget per step, spent on the running sequences in the order of their admission, then on waiting prompts,
 * the last of them cut to what is left (chunked prefill). Where blocks lack, the youngest running sequence is preempted and
 * recomputed later; a step that preempted admits nobody.
 */
export function vllmV1(settings: VllmV1Settings): Scheduler {
  return {
    form(board) {
      const plan = spendOnRunning(board, settings);
      const preempted = makeRoom(board, plan);
      for (const sequence of plan.sitOut) board.sitOut(sequence);
      board.decodeAll();
      for (const { sequence, tokens } of plan.chunks) board.prefill(sequence, tokens);
      if (preempted) return 'changing';
      const admitted = admit(board, settings, plan.budget, partialOf(board, plan));
      return plan.chunks.length === 0 && plan.sitOut.length === 0 && !admitted ? 'steady' : 'changing';
    },
  };
}

/** Prompts that a step leaves in the middle. */
function partialOf(board: SchedulerState, plan: Plan): number {
  return plan.chunks.filter(({ sequence, tokens }) => tokens < board.remaining(sequence)).length;
}

interface Plan {
  budget: number;
  chunks: { sequence: Sequence; tokens: number }[];
  sitOut: Sequence[];
}

function spendOnRunning(board: SchedulerState, settings: VllmV1Settings): Plan {
  const budget = settings.max_num_batched_tokens;
  const wants = board.prefilling.map((sequence) => ({ sequence, tokens: chunkOf(board, sequence, settings) }));
  const all = wants.reduce((sum, want) => sum + want.tokens, board.decodable);
  if (all <= budget) return { budget: budget - all, chunks: wants, sitOut: [] };
  // Only when the budget binds does the order of admission decide who gets how much.
  const plan: Plan = { budget, chunks: [], sitOut: [] };
  const chunkFor = new Map(wants.map((want) => [want.sequence, want.tokens]));
  for (const sequence of board.running) {
    const want = chunkFor.get(sequence);
    if (want === undefined) {
      if (plan.budget > 0) plan.budget--;
      else plan.sitOut.push(sequence);
    } else if (plan.budget > 0) {
      const tokens = Math.min(want, plan.budget);
      plan.chunks.push({ sequence, tokens });
      plan.budget -= tokens;
    }
  }
  return plan;
}

function chunkOf(board: SchedulerState, sequence: Sequence, settings: VllmV1Settings): number {
  const remaining = board.remaining(sequence);
  const { long_prefill_token_threshold: threshold } = settings;
  return threshold > 0 ? Math.min(remaining, threshold) : remaining;
}

/** Preempts from the youngest until the blocks of the plan are free; what is preempted leaves the plan. */
function makeRoom(board: SchedulerState, plan: Plan): boolean {
  let preempted = false;
  while (blocksOf(board, plan) > board.kv.free) {
    const youngest = board.running.at(-1)!;
    plan.chunks = plan.chunks.filter(({ sequence }) => sequence !== youngest);
    plan.sitOut = plan.sitOut.filter((sequence) => sequence !== youngest);
    board.preempt(youngest, 'recompute');
    preempted = true;
  }
  return preempted;
}

function blocksOf(board: SchedulerState, plan: Plan): number {
  let blocks = board.blocksToDecode();
  for (const { sequence, tokens } of plan.chunks) blocks += board.blocksToPrefill(sequence, tokens);
  return blocks;
}

function admit(board: SchedulerState, settings: VllmV1Settings, budget: number, partial: number): boolean {
  let admitted = false;
  while (budget > 0 && board.waiting.length > 0 && board.running.length < settings.max_num_seqs) {
    const next = board.waiting.at(0);
    const remaining = board.remaining(next);
    let tokens = chunkOf(board, next, settings);
    if (tokens > budget) {
      if (!settings.enable_chunked_prefill && board.running.length > 0) break;
      if (settings.enable_chunked_prefill) tokens = budget;
    }
    if (tokens < remaining && partial >= settings.max_num_partial_prefills) break;
    if (!board.prefill(next, tokens)) break;
    if (tokens < remaining) partial++;
    budget -= tokens;
    admitted = true;
  }
  return admitted;
}
