import {
  bytesOf,
  gibBytes,
  knownModels,
  kvBytesOf,
  parallelMistakes,
  parametersOf,
  sequenceBytesPerCard,
  weightBytesOf,
} from '../../inputs/hardware/index.ts';
import type { KnownModel } from '../../inputs/hardware/index.ts';
import type { MemoryPlan } from './memory-plan.ts';
import type { PlanRequest } from './plan-request.ts';
import type { PlanDocument } from './plan-schema.ts';

/** What would still fit on these cards. */
export function largestFit(request: PlanRequest, memory: MemoryPlan, totalBlocks: number): PlanDocument['largest'] {
  const byMemory = totalBlocks * request.blockSize;
  const byModel = request.shape.maxPositionTokens;
  const longest = request.workload.maxInputTokens + request.workload.maxOutputTokens;
  const oneRequestGiB = sequenceBytesPerCard(memory.kv, longest) / gibBytes / request.memoryFraction;
  const room = memory.totalGiB - memory.idleGiB - oneRequestGiB;
  const width = bytesOf(request.weightFormat ?? request.shape.quantization?.format ?? request.shape.format);
  const cards = request.parallel.tensor * request.parallel.pipeline;
  const fitting = knownModels.filter((model) => fits(model, request, longest));
  return {
    contextTokens: byModel === null ? byMemory : Math.min(byMemory, byModel),
    contextBoundBy: byModel !== null && byModel < byMemory ? 'model' : 'memory',
    parameters: Math.max(0, Math.floor((room * gibBytes * cards) / width)),
    model: fitting.toSorted((a, b) => parametersOf(b.shape).main - parametersOf(a.shape).main)[0]?.name ?? null,
  };
}

function fits(model: KnownModel, request: PlanRequest, longest: number): boolean {
  const parallel = { ...request.parallel, expert: null };
  if (parallelMistakes(model.shape, parallel).length > 0) return false;
  const weights = weightBytesOf(model.shape, parallel, { format: request.weightFormat, withMtp: false }).perCardBytes;
  const kv = kvBytesOf(model.shape, parallel, { format: request.kvFormat, withMtp: false });
  const leftBytes = (request.memoryGiB - request.idleGiB) * gibBytes - weights;
  return leftBytes * request.memoryFraction >= sequenceBytesPerCard(kv, longest);
}
