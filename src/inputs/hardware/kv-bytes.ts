import { cachedLayersOf } from './model-shape.ts';
import type { ModelShape } from './model-shape.ts';
import { bytesOf } from './number-format.ts';
import type { NumberFormat } from './number-format.ts';
import type { Parallel } from './parallel.ts';

/** How the cache is kept, where it is not as the model is. */
export interface KvStorage {
  /** null = as the model's own format. With MLA the rotary part stays in the model's format, as MindIE keeps it. */
  format: NumberFormat | null;
  /** Cache the MTP layers too (speculative tokens ≥ 1). */
  withMtp: boolean;
}

/** What one token of one sequence keeps in the cache. */
export interface KvBytes {
  /** Of the whole model, each KV head counted once. */
  perToken: number;
  /** On the card that keeps most of it. */
  perTokenPerCard: number;
  /** The part of perTokenPerCard that stops growing at the window; 0 = no window. */
  windowedPerTokenPerCard: number;
  windowTokens: number | null;
}

/**
 * layers · kvHeads · (keyDim + valueDim) · width, or for MLA layers · (latent · width + rope · width).
 * Tensor parallelism cuts KV heads (never below one per card) and leaves the MLA latent whole; pipeline stages cut layers.
 */
export function kvBytesOf(shape: ModelShape, parallel: Parallel, storage: KvStorage): KvBytes {
  const whole = perLayer(shape, shape.kvHeads, storage.format);
  const onCard = perLayer(shape, Math.ceil(shape.kvHeads / parallel.tensor), storage.format);
  const layers = cachedLayersOf(shape) + (storage.withMtp ? shape.mtpLayers : 0);
  const stageLayers = Math.ceil(layers / parallel.pipeline);
  const slidingLayers = shape.sliding === null ? 0 : Math.ceil(shape.sliding.layers / parallel.pipeline);
  return {
    perToken: whole * layers,
    perTokenPerCard: onCard * stageLayers,
    windowedPerTokenPerCard: onCard * Math.min(slidingLayers, stageLayers),
    windowTokens: shape.sliding?.windowTokens ?? null,
  };
}

/** Bytes that a sequence of so many tokens keeps on one card, windows taken into account. */
export function sequenceBytesPerCard(kv: KvBytes, tokens: number): number {
  const windowed = kv.windowTokens === null ? 0 : kv.windowedPerTokenPerCard;
  return (kv.perTokenPerCard - windowed) * tokens + windowed * Math.min(tokens, kv.windowTokens ?? 0);
}

function perLayer(shape: ModelShape, kvHeads: number, format: NumberFormat | null): number {
  const own = bytesOf(shape.format);
  const width = format === null ? own : bytesOf(format);
  if (shape.latent === null) return kvHeads * 2 * shape.headDim * width;
  const { kvLoraRank, ropeHeadDim, indexHeadDim } = shape.latent;
  return kvLoraRank * width + ropeHeadDim * own + (indexHeadDim ?? 0) * own;
}
