import { shellWord } from '../../core/index.ts';
import { acceptedLine, kvWords, largestPage } from './engine-rules.ts';
import type { ServeTarget } from './emit-vllm.ts';
import type { PlanDocument } from './plan-schema.ts';
import { commandText } from './command-text.ts';

/** The `sglang.launch_server` command line of a plan, one flag a line; a UserError where SGLang would refuse it. */
export function emitSglang(plan: PlanDocument, target: ServeTarget): string {
  const { vllm, cards } = plan;
  const flags = new Map<string, string | null>([['--tp-size', String(cards.tensor)]]);
  if (cards.pipeline > 1) flags.set('--pp-size', String(cards.pipeline));
  if (cards.data > 1) flags.set('--dp-size', String(cards.data));
  if (cards.expert !== null && cards.expert > 1) flags.set('--ep-size', String(cards.expert));
  flags.set('--mem-fraction-static', staticShare(plan).toFixed(2));
  flags.set('--context-length', String(vllm.maxModelLen));
  flags.set('--max-running-requests', String(vllm.maxNumSeqs));
  flags.set('--chunked-prefill-size', String(wholePages(vllm.maxNumBatchedTokens)));
  if (target.kvFormat !== null) flags.set('--kv-cache-dtype', kvWords.sglang[target.kvFormat] ?? target.kvFormat);
  const line = acceptedLine({ engine: 'sglang', flags }, plan);
  return commandText(`python -m sglang.launch_server --model-path ${shellWord(target.model)}`, line.flags);
}

/** Weights and KV cache as a share of what is free when the server starts, which is how SGLang counts; rounded down. */
function staticShare({ memory, vllm }: PlanDocument): number {
  const free = memory.totalGiB - memory.idleGiB;
  return Math.floor(((memory.weightsPerCardGiB + vllm.kvCacheGiB) / free) * 100) / 100;
}

function wholePages(tokens: number): number {
  return Math.ceil(tokens / largestPage) * largestPage;
}
