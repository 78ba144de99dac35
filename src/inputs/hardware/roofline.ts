import type { Card } from './card.ts';
import { kvBytesOf } from './kv-bytes.ts';
import type { KvStorage } from './kv-bytes.ts';
import { attentionKindOf } from './model-shape.ts';
import type { ModelShape } from './model-shape.ts';
import { bytesOf } from './number-format.ts';
import type { Parallel } from './parallel.ts';
import { activeParametersOf } from './parameter-count.ts';
import { weightBytesOf } from './weight-bytes.ts';
import type { WeightStorage } from './weight-bytes.ts';

/** What part of the sheet's peaks real engines reach, and what a step costs besides. One set for all cards, not fitted to any. */
export interface Efficiency {
  /** Of the memory bandwidth, when streaming weights and cache. */
  memoryRatio: number;
  /** Of the matrix peak, in large products. */
  computeRatio: number;
  /** Of the link, in collectives. */
  linkRatio: number;
  /** Start of one collective between cards. */
  collectiveMs: number;
  /** Launching one layer's kernels. */
  layerMs: number;
  /** Scheduler, sampling and detokenizing, once a step. */
  hostMs: number;
}

/** Middle-of-the-road figures: engines with graphs and overlap do better, early and eager ones worse. */
export const usualEfficiency: Efficiency = {
  memoryRatio: 0.7,
  computeRatio: 0.5,
  linkRatio: 0.6,
  collectiveMs: 0.03,
  layerMs: 0.08,
  hostMs: 3,
};

/** What is taken for a link that nobody publishes: PCIe 5.0 x16. */
export const unknownLinkBytesPerSec = 64e9;

/** A model on cards, with what a step of it moves and computes worked out once. */
export interface Rig {
  shape: ModelShape;
  card: Card;
  parallel: Parallel;
  weights: WeightStorage;
  kv: KvStorage;
  efficiency: Efficiency;
}

/** What one step works on, over all sequences of one replica. */
export interface StepWork {
  /** New tokens in all: one per decoding sequence, the prompt's tokens for a prefill. */
  tokens: number;
  /** Cached tokens that attention reads, summed over sequences. */
  contextTokens: number;
  /** Σ over sequences of new tokens × context each of them sees; for decode the same as contextTokens. */
  attendedTokens: number;
}

/** Where the time of one step goes, ms; the bound is the larger of compute and memory. */
export interface StepTime {
  computeMs: number;
  memoryMs: number;
  linkMs: number;
  overheadMs: number;
  totalMs: number;
  bound: 'compute' | 'memory' | 'overhead';
}

/** The estimated time of one step: max(compute, memory) + collectives + launch and host. null = the card's rates are not known. */
export function rooflineStep(rig: Rig, work: StepWork): StepTime | null {
  const { card, shape, parallel, efficiency } = rig;
  const flopsPerSec = matrixRate(rig);
  if (card.memoryBytesPerSec === null || flopsPerSec === null) return null;
  // Pipeline stages work one after the other on a step, so its time is that of all layers on one stage's cards.
  const oneStage: Parallel = { ...parallel, pipeline: 1 };
  const bytes =
    weightBytesRead(rig, oneStage, work.tokens) +
    work.contextTokens * kvBytesOf(shape, oneStage, rig.kv).perTokenPerCard;
  const memoryMs = (bytes / (card.memoryBytesPerSec * efficiency.memoryRatio)) * 1000;
  const flops =
    (2 * activeParametersOf(shape) * work.tokens + attentionFlops(shape, work.attendedTokens)) / parallel.tensor;
  const computeMs = (flops / (flopsPerSec * efficiency.computeRatio)) * 1000;
  const linkMs = collectivesMs(rig, work.tokens);
  const overheadMs = shape.layers * efficiency.layerMs + efficiency.hostMs;
  const roofMs = Math.max(computeMs, memoryMs);
  const bound = overheadMs + linkMs > roofMs ? 'overhead' : computeMs > memoryMs ? 'compute' : 'memory';
  return { computeMs, memoryMs, linkMs, overheadMs, totalMs: roofMs + linkMs + overheadMs, bound };
}

/** A step in which so many sequences of so long a context each get one token. */
export function decodeWork(sequences: number, contextTokens: number): StepWork {
  const all = sequences * contextTokens;
  return { tokens: sequences, contextTokens: all, attendedTokens: all };
}

/** A step that reads so many whole prompts of one length. */
export function prefillWork(promptTokens: number, prompts = 1): StepWork {
  return {
    tokens: promptTokens * prompts,
    contextTokens: promptTokens * prompts,
    attendedTokens: (prompts * promptTokens * (promptTokens + 1)) / 2,
  };
}

/** The matrix rate for the format the products are done in; narrower weights than activations run at the wide rate. */
function matrixRate(rig: Rig): number | null {
  const format = rig.weights.format ?? rig.shape.quantization?.format ?? rig.shape.format;
  if (format === 'fp8') return rig.card.fp8FlopsPerSec ?? rig.card.fp16FlopsPerSec;
  if (format === 'int8') return rig.card.int8OpsPerSec ?? rig.card.fp16FlopsPerSec;
  return rig.card.fp16FlopsPerSec;
}

/** Weights that a step of so many tokens touches on one card: of the experts, those that at least one token is sent to. */
function weightBytesRead(rig: Rig, parallel: Parallel, tokens: number): number {
  const { shape } = rig;
  const all = weightBytesOf(shape, parallel, { ...rig.weights, withMtp: false }).perCardBytes;
  const lookup = shape.tied ? 0 : (shape.vocabSize * shape.hiddenSize * bytesOf(shape.format)) / parallel.tensor;
  if (shape.moe === null) return all - lookup;
  const withoutExperts = weightBytesOf({ ...shape, moe: { ...shape.moe, experts: 0 } }, parallel, {
    ...rig.weights,
    withMtp: false,
  }).perCardBytes;
  const touched = 1 - (1 - shape.moe.expertsPerToken / shape.moe.experts) ** tokens;
  return withoutExperts + (all - withoutExperts) * touched - lookup;
}

/** Two products (scores, values) of one multiply-add per head dimension. */
function attentionFlops(shape: ModelShape, attendedTokens: number): number {
  const perHead =
    attentionKindOf(shape) === 'mla' && shape.latent !== null
      ? shape.latent.nopeHeadDim + shape.latent.ropeHeadDim + shape.latent.valueHeadDim
      : 2 * shape.headDim;
  return 2 * attendedTokens * shape.attentionHeads * perHead * (shape.layers - shape.linearLayers);
}

/** Two all-reduces a layer under tensor parallelism; each moves 2(n−1)/n of the activations over the link. */
function collectivesMs(rig: Rig, tokens: number): number {
  const { shape, parallel, card, efficiency } = rig;
  const n = parallel.tensor;
  if (n <= 1) return 0;
  const count = 2 * shape.layers;
  const bytes = tokens * shape.hiddenSize * bytesOf(shape.format) * ((2 * (n - 1)) / n);
  const linkMs = (bytes / ((card.linkBytesPerSec ?? unknownLinkBytesPerSec) * efficiency.linkRatio)) * 1000;
  return count * (efficiency.collectiveMs + linkMs);
}
