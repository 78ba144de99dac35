import type { ServerBlocks, ServerSettings } from './plan-request.ts';

interface Saying {
  name: string;
  pattern: RegExp;
  unit: 'blocks' | 'tokens';
  /** Tokens of a block where the log names no block size; null = as large as the plan's. */
  usualBlock: number | null;
}

/** The words that engines print their KV cache with, on every device: vLLM names it by what the server was built for. */
const sayings: readonly Saying[] = [
  { name: 'npuBlockNum', pattern: /\bn[pu][um]BlockNum\b\D{0,8}(\d[\d,]*)/gi, unit: 'blocks', usualBlock: null },
  {
    name: 'k_caches[0].shape',
    pattern: /k_caches\[0\]\.shape\s*=\s*torch\.Size\(\[\s*(\d+)/g,
    unit: 'blocks',
    usualBlock: null,
  },
  {
    // A CPU build says "# cpu blocks: N, # CPU blocks: M": the first is the cache, the second is swap space.
    name: '# GPU blocks',
    pattern: /#\s*(?:(?:GPU|NPU|XPU|HPU|TPU|MACA) blocks:?|\w+ blocks:?(?=\s*\d[\d,]*,\s*#\s*CPU))\s*(\d[\d,]*)/gi,
    unit: 'blocks',
    usualBlock: 16,
  },
  { name: 'num_gpu_blocks', pattern: /\bnum_(?:gpu|npu)_blocks\b\D{0,8}(\d[\d,]*)/gi, unit: 'blocks', usualBlock: 16 },
  { name: 'KV cache size', pattern: /\b\w+ KV cache size:\s*(\d[\d,]*)\s*tokens/gi, unit: 'tokens', usualBlock: null },
  {
    name: 'max_total_num_tokens',
    pattern: /\bmax_total_num_tokens\s*[=:]\s*(\d[\d,]*)/g,
    unit: 'tokens',
    usualBlock: null,
  },
];

/** The block count a server's log states: the smallest over its cards, because every card keeps a part of each block. null = none found. */
export function blocksInServerLog(text: string, blockSize: number): ServerBlocks | null {
  let least: ServerBlocks | null = null;
  const own = firstNumber(text, /\bblock_size['"]?\s*[=:]\s*(\d+)/);
  const lines = text.split('\n');
  for (const [at, line] of lines.entries()) {
    for (const { name, pattern, unit, usualBlock } of sayings) {
      for (const match of line.slice(0, 4000).matchAll(pattern)) {
        const count = Number(match[1]!.replaceAll(',', ''));
        const tokensEach = unit === 'tokens' ? 1 : usualBlock === null ? blockSize : (own ?? usualBlock);
        const blocks = Math.floor((count * tokensEach) / blockSize);
        if (!Number.isSafeInteger(blocks) || blocks < 1) continue;
        if (least === null || blocks < least.blocks) least = { blocks, foundBy: name, line: at + 1 };
      }
    }
  }
  return least;
}

/** The limits a server's log states of itself: vLLM in its arguments and in "Chunked prefill is enabled", SGLang in one line. */
export function settingsInServerLog(text: string): ServerSettings {
  return {
    maxBatchSize: firstNumber(text, /\b(?:max_num_seqs|max_running_requests)['"]?\s*[=:]\s*(\d+)/),
    maxPrefillTokens: firstNumber(text, /\b(?:max_num_batched_tokens|chunked_prefill_size)['"]?\s*[=:]\s*(\d+)/),
  };
}

function firstNumber(text: string, pattern: RegExp): number | null {
  const value = Number(pattern.exec(text)?.[1]);
  return Number.isSafeInteger(value) && value >= 1 ? value : null;
}
