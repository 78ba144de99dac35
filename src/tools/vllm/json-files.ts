import type { Exchange } from '../../core/index.ts';
import { statistics } from './figures.ts';
import type { VllmFigures } from './figures.ts';
import type { VllmBlockOptions } from './block.ts';

/** What the result file says besides the figures. */
export interface VllmJsonParts extends VllmBlockOptions {
  date: string;
  backend: string;
  label: string | null;
  model: string;
  tokenizer: string;
  numPrompts: number;
  metadata: readonly (readonly [string, string])[];
  burstiness: number;
  detailed: boolean;
}

/** The document of --save-result, with vLLM's keys in vLLM's order. */
export function vllmJson(
  figures: VllmFigures,
  parts: VllmJsonParts,
  exchanges: readonly Exchange[],
  answers: ReadonlyMap<number, string>,
): Record<string, unknown> {
  const now = parts.dialect === 'now';
  const document: Record<string, unknown> = {
    date: parts.date,
    ...(now && { endpoint_type: parts.backend }),
    backend: parts.backend,
    ...(now && { label: parts.label }),
    model_id: parts.model,
    tokenizer_id: parts.tokenizer,
    ...(now ? {} : { best_of: 1 }),
    num_prompts: parts.numPrompts,
    ...Object.fromEntries(parts.metadata.filter(([key]) => key !== '__proto__')),
    request_rate: Number.isFinite(parts.requestRate) ? parts.requestRate : 'inf',
    burstiness: parts.burstiness,
    max_concurrency: parts.maxConcurrency,
    duration: figures.durationSec,
    completed: figures.completed,
    ...(now && { failed: figures.failed }),
    total_input_tokens: figures.inputTokens,
    total_output_tokens: figures.outputTokens,
    request_throughput: figures.requestsPerSec,
    // The older script has a stray colon in this key, and people's parsers know it.
    [now ? 'request_goodput' : 'request_goodput:']: figures.goodputPerSec,
    output_throughput: figures.outputTokensPerSec,
    total_token_throughput: figures.totalTokensPerSec,
  };
  const lists = listsOf(figures, exchanges, answers, now);
  for (const [name, list] of Object.entries(lists)) if (parts.detailed || alwaysKept.has(name)) document[name] = list;
  if (now) {
    document['max_output_tokens_per_s'] = figures.peakTokensPerSec;
    document['max_concurrent_requests'] = figures.peakConcurrent;
    document['rtfx'] = 0;
  }
  for (const metric of parts.metrics) {
    const { mean, median, deviation, at } = statistics(figures.samples[metric], parts.percentiles);
    document[`mean_${metric}_ms`] = mean;
    document[`median_${metric}_ms`] = median;
    document[`std_${metric}_ms`] = deviation;
    for (const [i, percent] of parts.percentiles.entries()) document[`p${percent}_${metric}_ms`] = at[i];
  }
  return document;
}

/** vLLM takes the long lists out unless --save-detailed is given, and forgets these. */
const alwaysKept: ReadonlySet<string> = new Set(['latencies', 'queue_times']);

/** One entry per request, in the order they were asked; seconds. A request that failed has its error and zeros. */
function listsOf(
  figures: VllmFigures,
  exchanges: readonly Exchange[],
  answers: ReadonlyMap<number, string>,
  now: boolean,
): Record<string, unknown[]> {
  const served = new Map(figures.served.map((one) => [one.seq, one]));
  const asked = exchanges.toSorted((a, b) => a.seq - b.seq);
  const each = <T>(of: (exchange: Exchange) => T): T[] => asked.map(of);
  return {
    input_lens: each((exchange) => served.get(exchange.seq)?.inputTokens ?? exchange.inputTokens.planned ?? 0),
    output_lens: each((exchange) => served.get(exchange.seq)?.outputTokens ?? 0),
    ttfts: each((exchange) => (served.get(exchange.seq)?.ttftMs ?? 0) / 1000),
    itls: each((exchange) => (served.get(exchange.seq)?.gapsMs ?? []).map((gap) => gap / 1000)),
    ...(now && { latencies: each((exchange) => (served.get(exchange.seq)?.latencyMs ?? 0) / 1000) }),
    start_times: each((exchange) => (exchange.sentMs ?? exchange.dueMs) / 1000),
    ...(now && { queue_times: each((exchange) => figures.queuedMs(exchange) / 1000) }),
    generated_texts: each((exchange) => answers.get(exchange.seq) ?? ''),
    errors: each((exchange) =>
      exchange.problem === null ? '' : `${exchange.problem.code}: ${exchange.problem.words ?? ''}`,
    ),
  };
}
