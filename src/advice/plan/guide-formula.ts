import { gibBytes } from '../../inputs/hardware/index.ts';
import { floorGiB, usualPrefillTokens } from './capacity.ts';
import type { BatchRange } from './capacity.ts';
import type { PlanRequest } from './plan-request.ts';

/** The figures that the MindIE tuning guide's own arithmetic comes to. */
export interface GuideFigures {
  kvBytesPerToken: number;
  kvBytesPerTokenPerCard: number;
  npuMemSizeGiB: number;
  /** The guide has no such figure. */
  engineMemSizeGiB: null;
  totalBlocks: number;
  blocksPerRequest: { min: number; mean: number; max: number; expectedInFlight: null };
  maxBatchSize: BatchRange;
  /** Where the guide begins to try: within the range, a round number. It gives none for other cases; the middle rounded to a hundred gives its 200. */
  startBatchSize: number;
  maxPrefillBatchSize: number;
  maxPrefillTokens: number;
}

/**
 * The guide as it stands, faults included: layers · block · (kv heads · hidden / kv heads) / cards · width · 2, which is
 * hidden whatever the KV heads are; separate ceilings for prompt and answer; half the batch for prefill.
 */
export function guideFigures(request: PlanRequest, weightsTotalGiB: number): GuideFigures {
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
  const maxBatchSize = {
    min: Math.floor(totalBlocks / blocks.max),
    mean: Math.floor(totalBlocks / blocks.mean),
    max: Math.floor(totalBlocks / blocks.min),
  };
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
