import type { EngineCounters } from '../sim/index.ts';
import type { Histogram, EngineMetrics } from './engine-metrics.ts';

type Kind = 'gauge' | 'counter' | 'histogram';

/** Writes one metric of the given labels after the other. */
export function metricWriter(
  prefix: string,
  labels: string,
): {
  one(name: string, type: Kind, help: string, value: number): string;
  histogram(name: string, help: string, data: Histogram): string;
} {
  return {
    one: (name, type, help, value) => `${head(prefix + name, type, help)}${prefix}${name}{${labels}} ${value}\n`,
    histogram(name, help, data) {
      let below = 0;
      const buckets = data.bounds.map((bound, i) => {
        below += data.counts[i]!;
        return `${prefix}${name}_bucket{${labels},le="${bound}"} ${below}\n`;
      });
      return (
        head(prefix + name, 'histogram', help) +
        buckets.join('') +
        `${prefix}${name}_bucket{${labels},le="+Inf"} ${data.count}\n` +
        `${prefix}${name}_sum{${labels}} ${data.sum}\n${prefix}${name}_count{${labels}} ${data.count}\n`
      );
    },
  };
}

/** The /metrics page in Prometheus' text format, under vLLM's names. */
export function metricsPage(model: string, counters: EngineCounters, meters: EngineMetrics): string {
  const labels = `engine="0",model_name="${escapeLabel(model)}"`;
  const { one, histogram } = metricWriter('vllm:', labels);
  const parts = [
    one('num_requests_running', 'gauge', 'Requests in the running batch.', counters.running),
    one('num_requests_waiting', 'gauge', 'Requests waiting to be admitted.', counters.waiting),
    // Without a KV limit there is no share to tell.
    counters.kvUsageRatio === null
      ? ''
      : one('kv_cache_usage_perc', 'gauge', 'Share of the KV blocks in use; 1 is all.', counters.kvUsageRatio),
    one('num_preemptions_total', 'counter', 'Preemptions since the start.', counters.preemptionsTotal),
    one('prefix_cache_queries_total', 'counter', 'Prompt tokens looked up.', counters.prefixLookedUpTokensTotal),
    one('prefix_cache_hits_total', 'counter', 'Prompt tokens found in the cache.', counters.prefixFoundTokensTotal),
    one('prompt_tokens_total', 'counter', 'Prompt tokens prefilled.', counters.promptTokensTotal),
    one('generation_tokens_total', 'counter', 'Tokens generated.', counters.generationTokensTotal),
    head('vllm:request_success_total', 'counter', 'Requests that ended, by reason.'),
    ...Object.entries(meters.finished).map(
      ([reason, count]) => `vllm:request_success_total{${labels},finished_reason="${reason}"} ${count}\n`,
    ),
    histogram('time_to_first_token_seconds', 'Time to the first token.', meters.timeToFirstTokenSec),
    histogram('inter_token_latency_seconds', 'Time between two tokens.', meters.interTokenSec),
    histogram('e2e_request_latency_seconds', 'Time from arrival to the end.', meters.latencySec),
    histogram('request_queue_time_seconds', 'Time from arrival to the first step.', meters.queueSec),
    histogram('request_prompt_tokens', 'Prompt tokens of a request.', meters.promptTokens),
    histogram('request_generation_tokens', 'Tokens of an answer.', meters.generationTokens),
    cacheInfo(labels, counters),
  ];
  return parts.join('');
}

function head(name: string, type: Kind, help: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

function cacheInfo(labels: string, counters: EngineCounters): string {
  const blocks = counters.kvTotalBlocks ?? 'None';
  const info = `block_size="${counters.kvBlockSize}",num_gpu_blocks="${blocks}"`;
  return `${head('vllm:cache_config_info', 'gauge', 'The KV cache.')}vllm:cache_config_info{${labels},${info}} 1\n`;
}

/** Text between the quotes of a label. */
export function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
