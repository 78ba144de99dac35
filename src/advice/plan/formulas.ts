import { attentionKindOf, bytesOf, cachedLayersOf } from '../../inputs/hardware/index.ts';
import type { Advice } from './advice.ts';
import type { BatchRange, BlocksPerRequest } from './capacity.ts';
import type { MemoryPlan } from './memory-plan.ts';
import type { PlanRequest } from './plan-request.ts';
import type { PlanDocument } from './plan-schema.ts';

/** One figure's formula, in symbols and with its numbers. */
type Formula = PlanDocument['formulas'][number];

/** What the formulas are filled with. */
export interface FormulaFacts {
  request: PlanRequest;
  memory: MemoryPlan;
  perRequest: BlocksPerRequest;
  totalBlocks: number;
  batch: BatchRange;
  advice: Advice;
}

const n = (value: number): string => String(Number(value.toFixed(2)));

/** Every formula of a plan, filled in. */
export function formulasOf(facts: FormulaFacts): Formula[] {
  const { request, memory, perRequest, totalBlocks, batch, advice } = facts;
  const { workload, blockSize, memoryFraction, parallel } = request;
  const raw = `(${n(memory.totalGiB)} − ${n(memory.idleGiB)} − ${n(memory.weightsPerCardGiB)}) × ${memoryFraction}`;
  const blockBytes = memory.kv.perTokenPerCard * blockSize;
  const all = workload.inputTokens + workload.outputTokens;
  const most = workload.inputTokens + workload.maxOutputTokens;
  return [
    weightsFormula(request, memory),
    kvFormula(request, memory),
    {
      name: 'npuMemSize',
      formula: '⌊(total − idle − weights per card) × fraction⌋',
      numbers: `⌊${raw}⌋ = ⌊${n(memory.kvRawGiB)}⌋ = ${memory.npuMemSizeGiB} GiB`,
    },
    {
      name: 'engineMemSize',
      formula: '⌊total × fraction − idle − weights per card − runtime⌋',
      numbers: `⌊${n(memory.totalGiB)} × ${memoryFraction} − ${n(memory.idleGiB)} − ${n(memory.weightsPerCardGiB)} − ${n(memory.runtimeGiB)}⌋ = ${memory.engineMemSizeGiB} GiB`,
    },
    request.serverBlocks === null
      ? {
          name: 'totalBlocks',
          formula: '⌊npuMemSize × 2^30 / (KV bytes per token per card × block size)⌋',
          numbers: `⌊${memory.npuMemSizeGiB} × 2^30 / (${memory.kv.perTokenPerCard} × ${blockSize})⌋ = ⌊${memory.npuMemSizeGiB} × 2^30 / ${blockBytes}⌋ = ${totalBlocks}`,
        }
      : {
          name: 'totalBlocks',
          formula: 'from the server’s log',
          numbers: `${request.serverBlocks.foundBy} = ${totalBlocks}`,
        },
    {
      name: 'blocksPerRequest.min',
      formula: '⌈input / block⌉',
      numbers: `⌈${workload.inputTokens} / ${blockSize}⌉ = ${perRequest.min}`,
    },
    {
      name: 'blocksPerRequest.mean',
      formula: '⌈(input + output) / block⌉',
      numbers: `⌈${all} / ${blockSize}⌉ = ${perRequest.mean}`,
    },
    {
      name: 'blocksPerRequest.max',
      formula: '⌈(input + max output) / block⌉',
      numbers: `⌈${most} / ${blockSize}⌉ = ${perRequest.max}`,
    },
    {
      name: 'blocksPerRequest.expectedInFlight',
      formula: 'mean of ⌈(input + g) / block⌉ over g = 0 … output',
      numbers: n(perRequest.expectedInFlight),
    },
    {
      name: 'maxBatchSize',
      formula: '⌊totalBlocks / blocks per request⌋ at max, mean, min',
      numbers: `⌊${totalBlocks} / ${perRequest.max}⌋, ⌊${totalBlocks} / ${perRequest.mean}⌋, ⌊${totalBlocks} / ${perRequest.min}⌋ = ${batch.min}, ${batch.mean}, ${batch.max}`,
    },
    {
      name: 'maxPrefillTokens',
      formula: 'max(maxInputTokenLen, min(8192, maxBatchSize × input))',
      numbers: `max(${workload.maxInputTokens}, min(8192, ${advice.maxBatchSize} × ${workload.inputTokens})) = ${advice.maxPrefillTokens}`,
    },
    {
      name: 'maxPrefillBatchSize',
      formula: 'min(maxBatchSize, max(2, ⌊maxPrefillTokens / input⌋))',
      numbers: `min(${advice.maxBatchSize}, max(2, ⌊${advice.maxPrefillTokens} / ${workload.inputTokens}⌋)) = ${advice.maxPrefillBatchSize}`,
    },
    {
      name: 'maxSeqLen',
      formula: 'max input + max output',
      numbers: `${workload.maxInputTokens} + ${workload.maxOutputTokens} = ${advice.maxSeqLen}`,
    },
    ...(parallel.data > 1
      ? [
          {
            name: 'pools',
            formula: 'data parallel',
            numbers: `${parallel.data} pools of ${totalBlocks} blocks, each with its own batch`,
          },
        ]
      : []),
  ];
}

function weightsFormula(request: PlanRequest, memory: MemoryPlan): Formula {
  const cards = request.parallel.tensor * request.parallel.pipeline;
  if (request.weightsFrom !== 'config') {
    return {
      name: 'weights per card',
      formula: 'weights / (tensor × pipeline)',
      numbers: `${n(memory.weightsTotalGiB)} / ${cards} = ${n(memory.weightsPerCardGiB)} GiB`,
    };
  }
  return {
    name: 'weights per card',
    formula: 'Σ parameters × bytes × the part one card keeps',
    numbers: `${n(memory.weightsTotalGiB)} GiB in all, ${n(memory.weightsPerCardGiB)} GiB on the fullest of ${cards}`,
  };
}

function kvFormula(request: PlanRequest, memory: MemoryPlan): Formula {
  const { shape, parallel } = request;
  const layers = cachedLayersOf(shape) + (request.mtpTokens > 0 ? shape.mtpLayers : 0);
  const own = bytesOf(shape.format);
  const width = request.kvFormat === null ? own : bytesOf(request.kvFormat);
  const stage = parallel.pipeline > 1 ? Math.ceil(layers / parallel.pipeline) : layers;
  if (attentionKindOf(shape) === 'mla' && shape.latent !== null) {
    const { kvLoraRank, ropeHeadDim, indexHeadDim } = shape.latent;
    const index = indexHeadDim === null ? '' : ` + ${indexHeadDim} × ${own}`;
    return {
      name: 'KV bytes per token per card',
      formula: 'layers × (latent × bytes + rope × bytes), whole on every card',
      numbers: `${stage} × (${kvLoraRank} × ${width} + ${ropeHeadDim} × ${own}${index}) = ${memory.kv.perTokenPerCard}`,
    };
  }
  const heads = Math.ceil(shape.kvHeads / parallel.tensor);
  return {
    name: 'KV bytes per token per card',
    formula: 'layers × ⌈KV heads / tensor⌉ × (key + value) × head size × bytes',
    numbers: `${stage} × ⌈${shape.kvHeads} / ${parallel.tensor}⌉ × 2 × ${shape.headDim} × ${width} = ${stage} × ${heads} × 2 × ${shape.headDim} × ${width} = ${memory.kv.perTokenPerCard}`,
  };
}
