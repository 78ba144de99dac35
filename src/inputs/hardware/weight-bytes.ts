import type { ModelShape, WeightQuantization } from './model-shape.ts';
import { bytesOf } from './number-format.ts';
import type { NumberFormat } from './number-format.ts';
import type { Parallel } from './parallel.ts';
import { partsOf } from './parameter-count.ts';
import type { Part } from './parameter-count.ts';

/** What the weights take: in all, and on the card that carries most. */
export interface WeightBytes {
  totalBytes: number;
  perCardBytes: number;
}

/** How to store the weights, where it is not as the file says. */
export interface WeightStorage {
  /** null = as the config says. */
  format: NumberFormat | null;
  /** Load the MTP modules too. */
  withMtp: boolean;
}

/** Bytes of the weights from the shape alone: parameters × width, scales of quantized groups included. */
export function weightBytesOf(shape: ModelShape, parallel: Parallel, storage: WeightStorage): WeightBytes {
  let totalBytes = 0;
  let inLayers = 0;
  let ends = 0;
  for (const part of partsOf(shape)) {
    if (part.name === 'mtp' && !storage.withMtp) continue;
    const bytes = part.parameters * bytesPerParameter(shape, part, storage.format);
    totalBytes += bytes;
    const shared = bytes * shareOf(part, shape, parallel);
    if (part.inLayers) inLayers += shared;
    else ends = parallel.pipeline > 1 ? Math.max(ends, shared) : ends + shared;
  }
  const stageRatio = Math.ceil(shape.layers / parallel.pipeline) / shape.layers;
  return { totalBytes, perCardBytes: Math.ceil(inLayers * stageRatio + ends) };
}

/** How many bytes a parameter of this part is stored in, its share of the scales included. */
function bytesPerParameter(shape: ModelShape, part: Part, format: NumberFormat | null): number {
  const wide = bytesOf(shape.format);
  if (!part.quantizable) return wide;
  if (format !== null) return format === shape.quantization?.format ? narrow(shape.quantization) : narrowOrWide(format);
  return shape.quantization === null ? wide : narrow(shape.quantization);
}

function narrowOrWide(format: NumberFormat): number {
  const bytes = bytesOf(format);
  return bytes >= 1 ? bytes : narrow({ format, method: 'group', groupSize: 128 });
}

/** A group of weights adds one scale: 4 bytes for fp8 blocks, 2 bytes and a zero point for 4- and 8-bit integers. */
function narrow(quantization: WeightQuantization): number {
  const bytes = bytesOf(quantization.format);
  if (quantization.groupSize === null) return bytes;
  const scaleBytes = quantization.format === 'fp8' ? 4 : 2 + bytes;
  return bytes + scaleBytes / quantization.groupSize;
}

/** The part of a matrix that one card keeps. */
function shareOf(part: Part, shape: ModelShape, parallel: Parallel): number {
  switch (part.share) {
    case 'whole':
      return 1;
    case 'tensor':
      return 1 / parallel.tensor;
    case 'kv-head':
      // Beyond one KV head per card the heads are copied, not cut.
      return Math.ceil(shape.kvHeads / parallel.tensor) / shape.kvHeads;
    case 'expert':
      return 1 / (parallel.expert ?? parallel.tensor);
  }
}
