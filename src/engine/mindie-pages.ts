import type { EngineCounters } from '../sim/index.ts';
import { metricsPage } from './metrics-page.ts';
import type { Meters } from './meters.ts';

/** A page that answers a GET. */
export interface Page {
  type: string;
  body: string;
}

const json = (value: unknown): Page => ({ type: 'application/json', body: JSON.stringify(value) });

/** What MindIE's management port shows; null = no such page. */
export function managementPage(path: string, models: readonly string[], counters: EngineCounters): Page | null {
  if (['/v2/health/live', '/v2/health/ready', '/health', '/v1/health'].includes(path))
    return { type: 'text/plain', body: '' };
  const ready = /^\/v2\/models\/([^/]+)\/ready$/.exec(path);
  if (ready !== null && models.includes(ready[1]!)) return { type: 'text/plain', body: '' };
  if (path === '/metrics-json') {
    return json({
      processing_inference_request_num: counters.running,
      waiting_inference_request_num: counters.waiting,
      remain_blocks: counters.kvTotalBlocks === null ? null : counters.kvTotalBlocks - counters.kvUsedBlocks,
    });
  }
  return null;
}

/** MindIE's /metrics: no `vllm:` before the names, and the card is an NPU. */
export function mindieMetrics(model: string, counters: EngineCounters, meters: Meters, requests: number): string {
  const { stop, length, abort } = meters.finished;
  const labels = `{model_name="${model.replaceAll(/["\\\n]/g, '_')}"}`;
  return (
    metricsPage(model, counters, meters)
      .replaceAll('vllm:', '')
      .replaceAll('kv_cache_usage_perc', 'npu_cache_usage_perc')
      .replaceAll('inter_token_latency_seconds', 'time_per_output_token_seconds') +
    `# TYPE request_received_total counter\nrequest_received_total${labels} ${requests}\n` +
    `# TYPE request_failed_total counter\nrequest_failed_total${labels} ${abort}\n` +
    `# TYPE failed_request_perc gauge\nfailed_request_perc${labels} ${requests === 0 ? 0 : abort / Math.max(1, stop + length + abort)}\n`
  );
}
