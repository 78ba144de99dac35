import { prefillLimits } from './capacity.ts';
import type { BatchRange } from './capacity.ts';
import { largestBatchWithin } from './estimates.ts';
import type { PlanRequest } from './plan-request.ts';
import type { PlanDocument } from './plan-schema.ts';

/** The settings to begin with, for the goal that was stated. */
export type Advice = PlanDocument['advice'];

/** What the guide recommends where nothing was measured. */
const usualWeights = { prefillMs: 600, decodeMs: 50 };
const mostLinks = 4096;
const usualSwapGiB = 5;

/** Settings for a goal within what the blocks allow. */
export function adviceFor(request: PlanRequest, range: BatchRange): Advice {
  const { workload, goal } = request;
  const bound = batchFor(request, Math.max(1, range.mean));
  const prefill = prefillLimits(bound.batch, workload.inputTokens, workload.maxInputTokens);
  const selects = goal !== 'ttft-limit';
  const weights = {
    prefillMs: clamp(Math.round(request.measuredPrefillMs ?? usualWeights.prefillMs), 1, 1000),
    decodeMs: clamp(Math.round(request.measuredDecodeMs ?? usualWeights.decodeMs), 1, 1000),
  };
  const rounds = (part: number): number => waitRounds(Math.floor(bound.batch * part), bound.batch, weights);
  return {
    goal,
    maxBatchSize: bound.batch,
    boundBy: bound.by,
    maxPrefillBatchSize: prefill.batchSize,
    maxPrefillTokens: prefill.tokens,
    maxSeqLen: workload.maxInputTokens + workload.maxOutputTokens,
    maxInputTokenLen: workload.maxInputTokens,
    maxIterTimes: workload.maxOutputTokens,
    supportSelectBatch: selects,
    prefillTimeMsPerReq: weights.prefillMs,
    decodeTimeMsPerReq: weights.decodeMs,
    waitRounds: { half: rounds(0.5), threeQuarters: rounds(0.75), nineTenths: rounds(0.9) },
    maxPreemptCount: request.swap ? 1 : 0,
    cpuMemSizeGiB: request.swap ? usualSwapGiB : 0,
    clientConcurrency: bound.batch,
    maxLinkNum: clamp(Math.max(1000, bound.batch), 1, mostLinks),
  };
}

/**
 * MindIE's waste rule with a constant number running: a waiting prompt is taken on round ⌈P·R / (D·(B − R))⌉.
 * Only the ratio P/D and B matter; a larger P/D decodes longer before it lets a prompt in.
 */
export function waitRounds(running: number, batch: number, weights: { prefillMs: number; decodeMs: number }): number {
  if (running <= 0) return 1;
  if (running >= batch) return Infinity;
  return Math.max(1, Math.ceil((weights.prefillMs * running) / (weights.decodeMs * (batch - running))));
}

function batchFor(request: PlanRequest, byMemory: number): { batch: number; by: Advice['boundBy'] } {
  if (request.goal === 'throughput' || request.decodeLimitMs === null) return { batch: byMemory, by: 'memory' };
  const within = largestBatchWithin(request, byMemory, request.decodeLimitMs);
  if (within === null)
    return {
      batch: request.card === null ? byMemory : 1,
      by: request.card === null ? 'memory' : 'decode-limit-unreachable',
    };
  return within < byMemory ? { batch: within, by: 'decode-limit' } : { batch: byMemory, by: 'memory' };
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
