import type { ServerBlocks } from './plan-request.ts';

/** The words that engines print their block count with; a count of tokens is divided by the block size. */
const sayings: readonly { name: string; pattern: RegExp; unit: 'blocks' | 'tokens' }[] = [
  { name: 'npuBlockNum', pattern: /\bn[pu][um]BlockNum\b\D{0,8}(\d[\d,]*)/gi, unit: 'blocks' },
  { name: 'k_caches[0].shape', pattern: /k_caches\[0\]\.shape\s*=\s*torch\.Size\(\[\s*(\d+)/g, unit: 'blocks' },
  { name: '# GPU blocks', pattern: /#\s*(?:GPU|NPU|MACA) blocks:?\s*(\d[\d,]*)/gi, unit: 'blocks' },
  { name: 'num_gpu_blocks', pattern: /\bnum_(?:gpu|npu)_blocks\b\D{0,8}(\d[\d,]*)/gi, unit: 'blocks' },
  { name: 'KV cache size', pattern: /\b(?:GPU|NPU) KV cache size:\s*(\d[\d,]*)\s*tokens/gi, unit: 'tokens' },
];

/** The block count a server's log states: the smallest over its cards, because every card keeps a part of each block. null = none found. */
export function blocksInServerLog(text: string, blockSize: number): ServerBlocks | null {
  let least: ServerBlocks | null = null;
  const lines = text.split('\n');
  for (const [at, line] of lines.entries()) {
    for (const { name, pattern, unit } of sayings) {
      for (const match of line.slice(0, 4000).matchAll(pattern)) {
        const count = Number(match[1]!.replaceAll(',', ''));
        const blocks = unit === 'tokens' ? Math.floor(count / blockSize) : count;
        if (!Number.isSafeInteger(blocks) || blocks < 1) continue;
        if (least === null || blocks < least.blocks) least = { blocks, foundBy: name, line: at + 1 };
      }
    }
  }
  return least;
}
