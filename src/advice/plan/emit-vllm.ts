import { shellWord } from '../../core/index.ts';
import { acceptedLine, kvWords } from './engine-rules.ts';
import { apiServersFor, bestEstimate } from './front.ts';
import type { PlanDocument } from './plan-schema.ts';
import { commandText } from './command-text.ts';

/** What a server's command line needs besides the plan. */
export interface ServeTarget {
  /** Path or repository of the weights. */
  model: string;
  /** As told on the command line; null = as the weights are. */
  kvFormat: string | null;
}

/**
 * The `vllm serve` command line of a plan, one flag a line; a UserError where vLLM would refuse it. The block size is left out:
 * each attention kernel has its own, and vLLM takes the one that fits.
 */
export function emitVllm(plan: PlanDocument, target: ServeTarget): string {
  const { vllm, cards } = plan;
  const flags = new Map<string, string | null>([['--tensor-parallel-size', String(cards.tensor)]]);
  if (cards.pipeline > 1) flags.set('--pipeline-parallel-size', String(cards.pipeline));
  if (cards.data > 1) flags.set('--data-parallel-size', String(cards.data));
  if (cards.expert !== null && cards.expert > 1) flags.set('--enable-expert-parallel', null);
  flags.set('--gpu-memory-utilization', String(vllm.gpuMemoryUtilization));
  flags.set('--max-model-len', String(vllm.maxModelLen));
  flags.set('--max-num-seqs', String(vllm.maxNumSeqs));
  flags.set('--max-num-batched-tokens', String(vllm.maxNumBatchedTokens));
  if (target.kvFormat !== null) flags.set('--kv-cache-dtype', kvWords.vllm[target.kvFormat] ?? target.kvFormat);
  const servers = apiServersFor(bestEstimate(plan));
  if (servers > 1) flags.set('--api-server-count', String(servers));
  const line = acceptedLine({ engine: 'vllm', flags }, plan);
  return commandText(`vllm serve ${shellWord(target.model)}`, line.flags);
}
