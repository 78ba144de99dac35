import { gibBytes } from '../../inputs/hardware/index.ts';

/** Blocks one request takes: at its start, on average, at most, and on average while in flight. */
export interface BlocksPerRequest {
  min: number;
  mean: number;
  max: number;
  expectedInFlight: number;
}

/** Batch sizes the blocks allow when every request is at its longest, average, or has just begun. */
export interface BatchRange {
  min: number;
  mean: number;
  max: number;
}

/** The lengths of a workload's requests, in tokens. */
export interface Lengths {
  inputTokens: number;
  outputTokens: number;
  maxOutputTokens: number;
}

/** Down to a whole number, forgiving what binary fractions lose: 0.8 × 21.25 is 17. */
export function floorGiB(value: number): number {
  return Math.floor(value + 1e-9);
}

/** ⌊memory / (bytes of a block on one card)⌋. */
export function blocksIn(memoryGiB: number, kvBytesPerTokenPerCard: number, blockSize: number): number {
  return Math.floor((memoryGiB * gibBytes) / (kvBytesPerTokenPerCard * blockSize));
}

/** Blocks that a sequence of so many tokens fills: prompt and answer lie in the same blocks, so one ceiling over both. */
export function blocksFor(tokens: number, blockSize: number): number {
  return Math.ceil(tokens / blockSize);
}

/** Blocks per request; in flight a request is equally likely anywhere between its first and its last output token. */
export function blocksPerRequest(lengths: Lengths, blockSize: number): BlocksPerRequest {
  const { inputTokens, outputTokens, maxOutputTokens } = lengths;
  return {
    min: blocksFor(inputTokens, blockSize),
    mean: blocksFor(inputTokens + outputTokens, blockSize),
    max: blocksFor(inputTokens + maxOutputTokens, blockSize),
    expectedInFlight: meanBlocks(inputTokens, inputTokens + outputTokens, blockSize),
  };
}

/** The mean of ⌈t / blockSize⌉ over whole t from `from` to `to`, block by block, so that long contexts cost nothing. */
function meanBlocks(from: number, to: number, blockSize: number): number {
  let sum = 0;
  for (let block = blocksFor(from, blockSize); block <= blocksFor(to, blockSize); block++) {
    const first = Math.max(from, (block - 1) * blockSize + 1);
    const lastToken = Math.min(to, block * blockSize);
    sum += block * (lastToken - first + 1);
  }
  return sum / (to - from + 1);
}

/** ⌊blocks / blocks per request⌋ at the longest, the mean and the shortest. */
export function batchRange(totalBlocks: number, perRequest: Omit<BlocksPerRequest, 'expectedInFlight'>): BatchRange {
  return {
    min: Math.floor(totalBlocks / perRequest.max),
    mean: Math.floor(totalBlocks / perRequest.mean),
    max: Math.floor(totalBlocks / perRequest.min),
  };
}

/** Prefill limits: tokens bound a prefill batch, so the batch limit follows from them. */
export function prefillLimits(
  batchSize: number,
  inputTokens: number,
  maxInputTokens: number,
): { batchSize: number; tokens: number } {
  const tokens = Math.max(maxInputTokens, Math.min(usualPrefillTokens, batchSize * inputTokens));
  return { tokens, batchSize: Math.min(batchSize, Math.max(leastPrefillBatch, Math.floor(tokens / inputTokens))) };
}

/** With 1, MindIE lets requests in one by one and may never batch their decoding (QwQ-32B: 36 tokens/s where 50 gave 327). */
const leastPrefillBatch = 2;

/** More than this seldom pays: a longer prefill only holds up the decoding of everyone else. */
export const usualPrefillTokens = 8192;
