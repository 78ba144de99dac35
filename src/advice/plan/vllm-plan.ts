import { gibBytes, sequenceBytesPerCard } from '../../inputs/hardware/index.ts';
import { batchRange, blocksIn, blocksPerRequest } from './capacity.ts';
import type { Advice } from './advice.ts';
import type { MemoryPlan } from './memory-plan.ts';
import type { PlanRequest } from './plan-request.ts';
import type { PlanDocument } from './plan-schema.ts';

const vllmBlockSize = 16;

/** Activations of the largest prefill: tokens · hidden · 2 bytes · 13.25 live buffers, MindIE's own rule of thumb. */
export function activationGiB(prefillTokens: number, hiddenSize: number): number {
  return (prefillTokens * hiddenSize * 2 * 13.25) / gibBytes;
}

/** vLLM settings: its utilization counts the whole card, so it must leave out what is taken while idle. */
export function vllmPlan(request: PlanRequest, memory: MemoryPlan, advice: Advice): PlanDocument['vllm'] {
  const free = Math.floor(((memory.totalGiB - memory.idleGiB) / memory.totalGiB) * 100) / 100;
  const gpuMemoryUtilization = Math.min(request.gpuMemoryUtilization, free);
  const stepTokens = request.serverSettings.maxPrefillTokens ?? advice.maxPrefillTokens;
  const activations = activationGiB(stepTokens, request.shape.hiddenSize);
  const byFormula = Math.max(0, memory.totalGiB * gpuMemoryUtilization - memory.weightsPerCardGiB - activations);
  const kvCacheGiB = measuredKvGiB(request, memory) ?? byFormula;
  const totalBlocks = blocksIn(kvCacheGiB, memory.kv.perTokenPerCard, vllmBlockSize);
  const mean = batchRange(totalBlocks, blocksPerRequest(request.workload, vllmBlockSize)).mean;
  const seqs = Math.max(1, advice.boundBy === 'memory' ? mean : Math.min(mean, advice.maxBatchSize));
  return {
    gpuMemoryUtilization,
    blockSize: vllmBlockSize,
    kvCacheGiB,
    totalBlocks,
    longestRequestGiB: sequenceBytesPerCard(memory.kv, advice.maxSeqLen) / gibBytes,
    // A step needs a token for each sequence; vLLM refuses a larger batch.
    maxNumSeqs: Math.min(seqs, stepTokens),
    maxNumBatchedTokens: stepTokens,
    maxModelLen: advice.maxSeqLen,
  };
}

/** What the server's own blocks take on a card; null = it said none. Measured beats computed. */
function measuredKvGiB({ serverBlocks, blockSize }: PlanRequest, { kv }: MemoryPlan): number | null {
  return serverBlocks === null ? null : (serverBlocks.blocks * blockSize * kv.perTokenPerCard) / gibBytes;
}
