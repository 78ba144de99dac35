import type { EngineCounters } from '../sim/index.ts';
import type { Histogram, Meters } from './meters.ts';

/** The /metrics page in Prometheus' text format, under vLLM's names. */
export function metricsPage(model: string, counters: EngineCounters, meters: Meters): string {
  const labels = `engine="0",model_name="${escapeLabel(model)}"`;
  const one = (name: string, type: 'gauge' | 'counter', help: string, value: number): string =>
    `${head(name, type, help)}vllm:${name}{${labels}} ${value}\n`;
  const parts = [
    one('num_requests_running', 'gauge', 'Requests in the running batch.', counters.running),
    one('num_requests_waiting', 'gauge', 'Requests waiting to be admitted.', counters.waiting),
    // Without a KV limit there is no share to tell.
    counters.kvUsageRatio === null
      ? ''
      : one('kv_cache_usage_perc', 'gauge', 'Share of the KV blocks in use; 1 is all.', counters.kvUsageRatio),
    one('num_preemptions_total', 'counter', 'Preemptions since the start.', counters.preemptionsTotal),
    one('prompt_tokens_total', 'counter', 'Prompt tokens prefilled.', counters.promptTokensTotal),
    one('generation_tokens_total', 'counter', 'Tokens generated.', counters.generationTokensTotal),
    head('request_success_total', 'counter', 'Requests that ended, by reason.'),
    ...Object.entries(meters.finished).map(
      ([reason, count]) => `vllm:request_success_total{${labels},finished_reason="${reason}"} ${count}\n`,
    ),
    histogram('time_to_first_token_seconds', 'Time to the first token.', labels, meters.timeToFirstTokenSec),
    histogram('inter_token_latency_seconds', 'Time between two tokens.', labels, meters.interTokenSec),
    histogram('e2e_request_latency_seconds', 'Time from arrival to the end.', labels, meters.latencySec),
    cacheInfo(labels, counters),
  ];
  return parts.join('');
}

function head(name: string, type: string, help: string): string {
  return `# HELP vllm:${name} ${help}\n# TYPE vllm:${name} ${type}\n`;
}

function histogram(name: string, help: string, labels: string, data: Histogram): string {
  let below = 0;
  const buckets = data.bounds.map((bound, i) => {
    below += data.counts[i]!;
    return `vllm:${name}_bucket{${labels},le="${bound}"} ${below}\n`;
  });
  return (
    head(name, 'histogram', help) +
    buckets.join('') +
    `vllm:${name}_bucket{${labels},le="+Inf"} ${data.count}\n` +
    `vllm:${name}_sum{${labels}} ${data.sum}\nvllm:${name}_count{${labels}} ${data.count}\n`
  );
}

function cacheInfo(labels: string, counters: EngineCounters): string {
  const blocks = counters.kvTotalBlocks ?? 'None';
  const info = `block_size="${counters.kvBlockSize}",num_gpu_blocks="${blocks}"`;
  return `${head('cache_config_info', 'gauge', 'The KV cache.')}vllm:cache_config_info{${labels},${info}} 1\n`;
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
