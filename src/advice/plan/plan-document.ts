import { mistake, UserError } from '../../core/index.ts';
import {
  activeParametersOf,
  attentionKindOf,
  cardsOf,
  parametersAreKnown,
  parametersOf,
} from '../../inputs/hardware/index.ts';
import { adviceFor } from './advice.ts';
import { batchRange, blocksIn, blocksPerRequest } from './capacity.ts';
import { environmentFor } from './environment.ts';
import { estimatesOf, pointAt, priorOf, rigOf } from './estimates.ts';
import { formulasOf } from './formulas.ts';
import { guideDifferences } from './guide-differences.ts';
import { guideFigures } from './guide-formula.ts';
import { largestFit } from './largest-fit.ts';
import { memoryPlan } from './memory-plan.ts';
import type { MemoryPlan } from './memory-plan.ts';
import { notesOf } from './notes.ts';
import { settleRequest } from './plan-request.ts';
import type { PlanAsked, PlanRequest } from './plan-request.ts';
import type { PlanDocument } from './plan-schema.ts';
import { activationGiB, vllmPlan } from './vllm-plan.ts';

/** The whole plan for a question; a UserError says everything that is wrong with it, or that the model does not fit. */
export function planDocument(asked: PlanAsked): PlanDocument {
  const request = settleRequest(asked);
  const memory = memoryPlan(request);
  const perRequest = blocksPerRequest(request.workload, request.blockSize);
  const formulaBlocks = blocksIn(memory.npuMemSizeGiB, memory.kv.perTokenPerCard, request.blockSize);
  const totalBlocks = request.serverBlocks?.blocks ?? formulaBlocks;
  if (totalBlocks < perRequest.mean) throw new UserError(noRoom(request, memory, totalBlocks, perRequest.mean));
  const maxBatchSize = batchRange(totalBlocks, perRequest);
  const advice = adviceFor(request, maxBatchSize);
  const rig = rigOf(request);
  const estimatedTtftMs = rig === null ? null : (pointAt(request, rig, advice.maxBatchSize)?.ttftMs ?? null);
  const guide = guideFigures(request, memory.weightsTotalGiB);
  const figures = {
    kvBytesPerToken: memory.kv.perToken,
    kvBytesPerTokenPerCard: memory.kv.perTokenPerCard,
    npuMemSizeGiB: memory.npuMemSizeGiB,
    engineMemSizeGiB: memory.engineMemSizeGiB,
    totalBlocks,
    totalBlocksFrom: request.serverBlocks === null ? ('formula' as const) : ('server-log' as const),
    blocksPerRequest: { ...perRequest, expectedInFlight: Number(perRequest.expectedInFlight.toFixed(2)) },
    maxBatchSize,
    expectedConcurrent: Math.floor(totalBlocks / perRequest.expectedInFlight),
    maxPrefillBatchSize: advice.maxPrefillBatchSize,
    maxPrefillTokens: advice.maxPrefillTokens,
    maxSeqLen: advice.maxSeqLen,
  };
  return {
    schema: 'llmdyno.plan/1',
    ...subject(request, memory, advice.maxPrefillTokens),
    ...figures,
    advice,
    environment: environmentFor(request, advice),
    server: request.serverSettings,
    vllm: vllmPlan(request, memory, advice),
    largest: largestFit(request, memory, totalBlocks),
    estimates: estimatesOf(request, Math.max(1, maxBatchSize.mean)),
    stepCostPrior: priorOf(request),
    formulas: formulasOf({ request, memory, perRequest, totalBlocks, batch: maxBatchSize, advice }),
    guide,
    differences: guideDifferences(request, guide, figures),
    notes: notesOf({ asked, request, memory, advice, perRequest, totalBlocks, formulaBlocks, estimatedTtftMs }),
  };
}

function subject(
  request: PlanRequest,
  memory: MemoryPlan,
  prefillTokens: number,
): Pick<PlanDocument, 'model' | 'cards' | 'workload' | 'memory'> {
  const { shape, parallel } = request;
  const countable = parametersAreKnown(shape);
  return {
    model: {
      name: request.modelName,
      attention: attentionKindOf(shape),
      layers: shape.layers,
      kvHeads: shape.kvHeads,
      headDim: shape.headDim,
      maxPositionTokens: shape.maxPositionTokens,
      parameters: countable ? parametersOf(shape).main : null,
      activeParameters: countable ? activeParametersOf(shape) : null,
      source: request.known?.source.url ?? null,
    },
    cards: {
      name: request.cardName,
      vendor: request.card?.vendor ?? null,
      count: cardsOf(parallel),
      ...parallel,
      source: request.card?.source.url ?? null,
    },
    workload: { ...request.workload, blockSize: request.blockSize },
    memory: {
      totalGiB: memory.totalGiB,
      idleGiB: memory.idleGiB,
      weightsTotalGiB: memory.weightsTotalGiB,
      weightsPerCardGiB: memory.weightsPerCardGiB,
      weightsFrom: request.weightsFrom,
      runtimeGiB: memory.runtimeGiB,
      activationGiB: activationGiB(prefillTokens, shape.hiddenSize),
      leftGiB: memory.totalGiB - memory.idleGiB - memory.weightsPerCardGiB - memory.npuMemSizeGiB,
      memoryFraction: request.memoryFraction,
    },
  };
}

function noRoom(request: PlanRequest, memory: MemoryPlan, totalBlocks: number, needed: number) {
  return mistake(
    'no-room-for-kv-cache',
    `${memory.npuMemSizeGiB} GiB are left for the KV cache: ${totalBlocks} blocks, and one mean request needs ${needed}`,
    `KV Cache 只剩 ${memory.npuMemSizeGiB} GiB，即 ${totalBlocks} 个 block，而一条平均请求需要 ${needed} 个`,
    'use more or larger cards, narrower weights (--weight-dtype), a narrower cache (--kv-dtype int8), or shorter requests',
    '请增加卡数或换更大的卡、量化权重（--weight-dtype）、量化 KV（--kv-dtype int8），或缩短请求',
    request.serverBlocks === null ? '--cards' : '--server-log',
  );
}
