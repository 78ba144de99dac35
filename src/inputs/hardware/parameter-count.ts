import { cachedLayersOf } from './model-shape.ts';
import type { ModelShape } from './model-shape.ts';

/** How the cards of one layer share a matrix: cut by tensor parallelism, by expert, by KV head, or not at all. */
export type Share = 'tensor' | 'expert' | 'kv-head' | 'whole';

/** One kind of matrix of a model: how many parameters, where, and how it is shared out. */
export interface Part {
  name: 'embedding' | 'output-head' | 'attention' | 'mlp' | 'experts' | 'shared-experts' | 'router' | 'norms' | 'mtp';
  parameters: number;
  share: Share;
  /** Cut into pipeline stages with the layers; embedding and head stand at the ends. */
  inLayers: boolean;
  /** Matrices that quantized files store narrow; embeddings, head, norms and routers stay wide. */
  quantizable: boolean;
}

/** Every parameter of a shape, part by part. Linear-attention layers are counted as if they had attention: see shape.uncounted. */
export function partsOf(shape: ModelShape): Part[] {
  const { layers, hiddenSize, vocabSize, moe } = shape;
  const denseLayers = layers - (moe?.layers ?? 0);
  const attention = attentionParts(shape);
  const parts: Part[] = [
    { name: 'embedding', parameters: vocabSize * hiddenSize, share: 'tensor', inLayers: false, quantizable: false },
    ...attention.map((part) => ({ ...part, parameters: part.parameters * layers })),
    layerPart('mlp', mlpParameters(shape, shape.intermediateSize) * denseLayers, 'tensor', true),
    layerPart('norms', normParameters(shape) * layers + hiddenSize, 'whole', false),
  ];
  if (!shape.tied) {
    parts.push({
      name: 'output-head',
      parameters: vocabSize * hiddenSize,
      share: 'tensor',
      inLayers: false,
      quantizable: false,
    });
  }
  if (moe !== null)
    for (const part of expertParts(shape)) parts.push({ ...part, parameters: part.parameters * moe.layers });
  if (shape.mtpLayers > 0) parts.push(...mtpParts(shape, attention));
  return parts.filter((part) => part.parameters > 0);
}

/** All parameters of the main model; MTP modules are counted beside it, as their authors do. */
export function parametersOf(shape: ModelShape): { main: number; mtp: number } {
  const sum = (parts: Part[]) => parts.reduce((all, part) => all + part.parameters, 0);
  const parts = partsOf(shape);
  return { main: sum(parts.filter((p) => p.name !== 'mtp')), mtp: sum(parts.filter((p) => p.name === 'mtp')) };
}

/** Parameters that one token passes through: all, less the experts it does not use. The embedding is a look-up and not counted. */
export function activeParametersOf(shape: ModelShape): number {
  const { moe } = shape;
  let active = 0;
  for (const part of partsOf(shape)) {
    if (part.name === 'mtp' || (part.name === 'embedding' && !shape.tied)) continue;
    const used = part.name === 'experts' && moe !== null ? moe.expertsPerToken / moe.experts : 1;
    active += part.parameters * used;
  }
  return active;
}

function layerPart(name: Part['name'], parameters: number, share: Share, quantizable: boolean): Part {
  return { name, parameters, share, inLayers: true, quantizable };
}

/** Attention of one layer. */
function attentionParts(shape: ModelShape): Part[] {
  const { hiddenSize: h, attentionHeads: heads, kvHeads, headDim, latent } = shape;
  if (latent !== null) {
    const keyDim = latent.nopeHeadDim + latent.ropeHeadDim;
    const q = latent.queryLoraRank;
    const downs = (q === null ? 0 : h * q) + h * (latent.kvLoraRank + latent.ropeHeadDim);
    const queryUp = (q ?? h) * heads * keyDim;
    const valueUp = latent.kvLoraRank * heads * (latent.nopeHeadDim + latent.valueHeadDim);
    const output = heads * latent.valueHeadDim * h;
    return [
      // The compressing matrices have no heads to cut, so every card keeps them whole.
      layerPart('attention', downs, 'whole', true),
      layerPart('attention', queryUp + valueUp + output, 'tensor', true),
      layerPart('norms', (q ?? 0) + latent.kvLoraRank, 'whole', false),
    ];
  }
  const queryAndOutput = 2 * h * heads * headDim;
  const keyAndValue = 2 * h * kvHeads * headDim;
  const biases = (shape.queryKeyValueBias ? (heads + 2 * kvHeads) * headDim : 0) + (shape.outputBias ? h : 0);
  return [
    layerPart('attention', queryAndOutput, 'tensor', true),
    layerPart('attention', keyAndValue, 'kv-head', true),
    layerPart('attention', biases, 'tensor', false),
    layerPart('norms', shape.headNorms ? 2 * headDim : 0, 'whole', false),
  ];
}

function mlpParameters(shape: ModelShape, width: number): number {
  return (shape.gated ? 3 : 2) * shape.hiddenSize * width;
}

function normParameters(shape: ModelShape): number {
  return shape.normsPerLayer * shape.hiddenSize;
}

/** Experts, shared experts and router of one layer. */
function expertParts(shape: ModelShape): Part[] {
  const { moe, hiddenSize } = shape;
  if (moe === null) return [];
  return [
    layerPart('experts', moe.experts * mlpParameters(shape, moe.intermediateSize), 'expert', true),
    layerPart('shared-experts', mlpParameters(shape, moe.sharedIntermediateSize), 'tensor', true),
    layerPart(
      'router',
      moe.experts * (hiddenSize + (moe.routerBias ? 1 : 0)) + (moe.sharedGate ? hiddenSize : 0),
      'whole',
      false,
    ),
  ];
}

/** One MTP module: two norms, a projection of both inputs, a whole layer, a closing norm; embedding and head are shared. */
function mtpParts(shape: ModelShape, attention: Part[]): Part[] {
  const h = shape.hiddenSize;
  const layer =
    shape.moe === null
      ? [layerPart('mtp', mlpParameters(shape, shape.intermediateSize), 'tensor', true)]
      : expertParts(shape);
  const own = [
    layerPart('mtp', 2 * h * h, 'whole', true),
    layerPart('mtp', 3 * h + normParameters(shape), 'whole', false),
  ];
  return [...own, ...attention, ...layer].map(({ parameters, share, quantizable }) =>
    layerPart('mtp', parameters * shape.mtpLayers, share, quantizable),
  );
}

/** False where the file has layers whose parameters this count does not know. */
export function parametersAreKnown(shape: ModelShape): boolean {
  return cachedLayersOf(shape) === shape.layers;
}
