import type { NumberFormat } from './number-format.ts';

/** Latent attention (DeepSeek V2 and later): keys and values are kept as one compressed vector per token. */
export interface LatentAttention {
  kvLoraRank: number;
  ropeHeadDim: number;
  nopeHeadDim: number;
  valueHeadDim: number;
  /** null = queries are not compressed. */
  queryLoraRank: number | null;
  /** Width of the sparse-attention indexer's keys, kept in the cache too (DeepSeek V3.2); null = none. */
  indexHeadDim: number | null;
}

/** A mixture of experts in some of the layers. */
export interface Experts {
  experts: number;
  expertsPerToken: number;
  /** Width of one routed expert. */
  intermediateSize: number;
  /** Width of all shared experts together; 0 = none. */
  sharedIntermediateSize: number;
  /** The shared expert has a gate of its own (Qwen2-MoE). */
  sharedGate: boolean;
  /** The router has one bias per expert (DeepSeek V3). */
  routerBias: boolean;
  /** How many of the layers have experts; the others have a dense MLP. */
  layers: number;
}

/** How the weights are stored when not in the model's own format. */
export interface WeightQuantization {
  format: NumberFormat;
  /** The name the file gives it: fp8, awq, gptq, w8a8 … */
  method: string;
  /** Weights that share one scale; null = one scale per row, too few to count. */
  groupSize: number | null;
}

/** What matters of a config.json: the shape that parameters, cache and step times follow from. */
export interface ModelShape {
  /** model_type as the file says it. */
  family: string;
  layers: number;
  hiddenSize: number;
  vocabSize: number;
  attentionHeads: number;
  kvHeads: number;
  /** head_dim where the file says one, else hidden / heads. */
  headDim: number;
  latent: LatentAttention | null;
  queryKeyValueBias: boolean;
  outputBias: boolean;
  /** One norm over each head of q and of k (Qwen3). */
  headNorms: boolean;
  /** Width of the dense MLP. */
  intermediateSize: number;
  /** gate, up and down (three matrices) rather than two. */
  gated: boolean;
  moe: Experts | null;
  /** Norms of one layer: 2, or 4 where outputs are normed too (GLM-4-0414, Gemma 2). */
  normsPerLayer: number;
  /** Input embedding and output head are one matrix. */
  tied: boolean;
  /** Extra layers that guess further tokens. */
  mtpLayers: number;
  /** Layers whose cache stops growing at a window; null = none. */
  sliding: { windowTokens: number; layers: number } | null;
  /** Layers with a fixed state in place of a KV cache (linear attention); their parameters are not counted. */
  linearLayers: number;
  /** Longest context it was made for; null = the file does not say. */
  maxPositionTokens: number | null;
  /** What the weights are stored as when not quantized. */
  format: NumberFormat;
  quantization: WeightQuantization | null;
  /** What the file has that we do not count: a vision tower, linear attention … */
  uncounted: readonly string[];
}

/** The kind of attention, by what it means for the cache. */
export type AttentionKind = 'mha' | 'gqa' | 'mqa' | 'mla';

/** The kind of attention of a shape. */
export function attentionKindOf(shape: ModelShape): AttentionKind {
  if (shape.latent !== null) return 'mla';
  if (shape.kvHeads === 1) return 'mqa';
  return shape.kvHeads === shape.attentionHeads ? 'mha' : 'gqa';
}

/** Layers with a growing or windowed KV cache. */
export function cachedLayersOf(shape: ModelShape): number {
  return shape.layers - shape.linearLayers;
}
