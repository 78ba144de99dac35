import { gibBytes } from '../../inputs/hardware/index.ts';
import { batchRange, floorGiB, usualPrefillTokens } from './capacity.ts';
import type { BatchRange } from './capacity.ts';
import type { PlanRequest } from './plan-request.ts';
import type { PlanDocument } from './plan-schema.ts';

/**
 * The guide as it stands, faults included: layers · block · (kv heads · hidden / kv heads) / cards · width · 2, which is
 * hidden whatever the KV heads are; separate ceilings for prompt and answer; half the batch for prefill.
 */
export function guideFigures(request: PlanRequest, weightsTotalGiB: number): PlanDocument['guide'] {
  const { shape, parallel, blockSize, workload, memoryGiB, idleGiB } = request;
  const cards = parallel.tensor * parallel.pipeline;
  const cacheBytes = 2;
  const perToken = shape.layers * shape.hiddenSize * cacheBytes * 2;
  const npuMemSizeGiB = Math.max(0, floorGiB((memoryGiB - idleGiB - weightsTotalGiB / cards) * 0.8));
  const totalBlocks = Math.floor((npuMemSizeGiB * gibBytes) / ((perToken / cards) * blockSize));
  const input = Math.ceil(workload.inputTokens / blockSize);
  const blocks = {
    min: input,
    mean: input + Math.ceil(workload.outputTokens / blockSize),
    max: input + Math.ceil(workload.maxOutputTokens / blockSize),
    expectedInFlight: null,
  };
  const maxBatchSize = batchRange(totalBlocks, blocks);
  const startBatchSize = startOf(maxBatchSize);
  const maxPrefillBatchSize = Math.floor(startBatchSize / 2);
  return {
    kvBytesPerToken: perToken,
    kvBytesPerTokenPerCard: perToken / cards,
    npuMemSizeGiB,
    engineMemSizeGiB: null,
    totalBlocks,
    blocksPerRequest: blocks,
    maxBatchSize,
    startBatchSize,
    maxPrefillBatchSize,
    maxPrefillTokens: Math.min(usualPrefillTokens, maxPrefillBatchSize * workload.inputTokens),
  };
}

function startOf(range: BatchRange): number {
  const middle = Math.round((range.min + range.max) / 2 / 100) * 100;
  return middle >= range.min && middle <= range.max ? middle : range.mean;
}
