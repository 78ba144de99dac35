import { mistake, userError, UserError } from '../../core/index.ts';
import { gibBytes, kvBytesOf, parametersAreKnown, weightBytesOf } from '../../inputs/hardware/index.ts';
import type { KvBytes } from '../../inputs/hardware/index.ts';
import { floorGiB } from './capacity.ts';
import type { PlanRequest } from './plan-request.ts';

/** Where the memory of one card goes, GiB. */
export interface MemoryPlan {
  totalGiB: number;
  idleGiB: number;
  weightsTotalGiB: number;
  weightsPerCardGiB: number;
  runtimeGiB: number;
  /** (total − idle − weights) × fraction, not yet rounded. */
  kvRawGiB: number;
  /** The whole number to write as npuMemSize. */
  npuMemSizeGiB: number;
  /** total × fraction − idle − weights − runtime: what the engine takes when told -1, rounded down. */
  engineMemSizeGiB: number;
  kv: KvBytes;
}

/** The memory of one card shared out; a UserError where the weights leave no room. */
export function memoryPlan(request: PlanRequest): MemoryPlan {
  const { memoryGiB, idleGiB, memoryFraction, runtimeGiB } = request;
  const weights = weightsOf(request);
  const leftGiB = memoryGiB - idleGiB - weights.perCardGiB;
  if (leftGiB <= 0) throw new UserError(tooLarge(request, weights));
  const kvRawGiB = leftGiB * memoryFraction;
  const withMtp = request.mtpTokens > 0;
  return {
    totalGiB: memoryGiB,
    idleGiB,
    weightsTotalGiB: weights.totalGiB,
    weightsPerCardGiB: weights.perCardGiB,
    runtimeGiB,
    kvRawGiB,
    npuMemSizeGiB: floorGiB(kvRawGiB),
    engineMemSizeGiB: Math.max(0, floorGiB(memoryGiB * memoryFraction - idleGiB - weights.perCardGiB - runtimeGiB)),
    kv: kvBytesOf(request.shape, request.parallel, { format: request.kvFormat, withMtp }),
  };
}

interface Weights {
  totalGiB: number;
  perCardGiB: number;
}

function weightsOf(request: PlanRequest): Weights {
  const { shape, parallel, weightsGiB } = request;
  if (weightsGiB !== null) return { totalGiB: weightsGiB, perCardGiB: weightsGiB * toldShare(request) };
  if (!parametersAreKnown(shape)) {
    throw userError(
      'weights-not-countable',
      `the parameters of ${request.modelName} cannot be counted from its config (linear-attention layers)`,
      `无法由配置计算 ${request.modelName} 的参数量（含线性注意力层）`,
      'measure them: --weights DIR, or --weights-gib N',
      '请用 --weights 目录 或 --weights-gib N 给出权重大小',
      '--weights',
    );
  }
  const bytes = weightBytesOf(shape, parallel, { format: request.weightFormat, withMtp: request.mtpTokens > 0 });
  return { totalGiB: bytes.totalBytes / gibBytes, perCardGiB: bytes.perCardBytes / gibBytes };
}

/** The part of told weights that one card keeps: an even share, or where experts or replicas are spread, as the config says. */
function toldShare({ shape, parallel, weightFormat }: PlanRequest): number {
  const even = 1 / (parallel.tensor * parallel.pipeline);
  if (parallel.expert === null || !parametersAreKnown(shape)) return even;
  const counted = weightBytesOf(shape, parallel, { format: weightFormat, withMtp: false });
  return counted.perCardBytes / counted.totalBytes;
}

/** The fewest cards that hold so many cardfuls and divide the heads; null = no such number. */
function cardsThatDo(request: PlanRequest, cardfuls: number): number | null {
  const { attentionHeads } = request.shape;
  const counts = Array.from({ length: attentionHeads }, (_, i) => i + 1);
  return counts.find((count) => count >= cardfuls && attentionHeads % count === 0) ?? null;
}

function tooLarge(request: PlanRequest, weights: Weights) {
  const room = request.memoryGiB - request.idleGiB;
  const has = request.parallel.tensor * request.parallel.pipeline;
  const need = room > 0 ? cardsThatDo(request, weights.totalGiB / (room * 0.85)) : null;
  const two = (n: number): string => n.toFixed(2);
  return mistake(
    'weights-larger-than-memory',
    `the weights take ${two(weights.perCardGiB)} GiB of each card, but only ${two(room)} GiB are free (${two(request.memoryGiB)} less ${two(request.idleGiB)} idle)`,
    `每张卡的权重需要 ${two(weights.perCardGiB)} GiB，但可用显存只有 ${two(room)} GiB（总量 ${two(request.memoryGiB)}，空闲占用 ${two(request.idleGiB)}）`,
    `use ${need === null ? 'larger cards' : `at least ${need} cards (now ${has})`}, larger ones, or narrower weights (--weight-dtype int8, fp8, int4)`,
    `请使用${need === null ? '显存更大的卡' : `至少 ${need} 张卡（当前 ${has} 张）`}、更大的卡，或量化权重（--weight-dtype int8、fp8、int4）`,
    request.weightsGiB === null ? '--cards' : '--weights-gib',
  );
}
