import type { PlanDocument } from './plan-schema.ts';

/** What a `vllm serve` line needs besides the plan. */
export interface VllmTarget {
  /** Path or repository of the weights. */
  model: string;
  /** As told on the command line; null = as the weights are. */
  kvFormat: string | null;
}

/** The `vllm serve` command line of a plan, one flag a line. */
export function emitVllm(plan: PlanDocument, target: VllmTarget): string {
  const { vllm, cards } = plan;
  const flags: [string, string | null][] = [
    ['--tensor-parallel-size', String(cards.tensor)],
    ...(cards.pipeline > 1 ? ([['--pipeline-parallel-size', String(cards.pipeline)]] as [string, string][]) : []),
    ...(cards.data > 1 ? ([['--data-parallel-size', String(cards.data)]] as [string, string][]) : []),
    ...(cards.expert === null ? [] : ([['--enable-expert-parallel', null]] as [string, null][])),
    ['--gpu-memory-utilization', String(vllm.gpuMemoryUtilization)],
    ['--max-model-len', String(vllm.maxModelLen)],
    ['--max-num-seqs', String(vllm.maxNumSeqs)],
    ['--max-num-batched-tokens', String(vllm.maxNumBatchedTokens)],
    ['--block-size', String(vllm.blockSize)],
    ...(target.kvFormat === null ? [] : ([['--kv-cache-dtype', target.kvFormat]] as [string, string][])),
  ];
  const lines = flags.map(([name, value]) => `  ${name}${value === null ? '' : ` ${shellWord(value)}`}`);
  return `vllm serve ${shellWord(target.model)} \\\n${lines.join(' \\\n')}\n`;
}

/** A word as a POSIX shell reads it back. */
function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
