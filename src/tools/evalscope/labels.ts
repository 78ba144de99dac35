import { means } from '../reading/fact-key.ts';
import type { Meaning, StatisticName } from '../reading/fact-key.ts';

/**
 * What evalscope's labels of v0.5 to v1.14 stand for, in normalLabel form. Text blocks, tables and
 * benchmark_summary.json share them; the unit in brackets is part of the label because it changed over the years.
 */
export const evalscopeLabels: ReadonlyMap<string, Meaning> = new Map([
  ['time taken for tests', means('durationMs', 1000)],
  ['time taken for tests (s)', means('durationMs', 1000)],
  ['test duration (s)', means('durationMs', 1000)],
  ['expected number of requests', means('counts.planned')],
  ['number of concurrency', means('load.concurrency')],
  ['concurrency', means('load.concurrency')],
  ['request rate (req/s)', means('load.ratePerSec')],
  ['total requests', means('counts.ended')],
  ['succeed requests', means('counts.ok')],
  ['success requests', means('counts.ok')],
  ['failed requests', means('counts.failed')],
  ['stream requests', means('server.streamRequests')],
  ['non-stream requests', means('server.nonStreamRequests')],
  ['average qps', means('requestsPerSec')],
  ['request throughput (req/s)', means('requestsPerSec')],
  ['req throughput (req/s)', means('requestsPerSec')],
  ['average latency', means('latencyMs.mean', 1000)],
  ['average latency (s)', means('latencyMs.mean', 1000)],
  ['avg latency (s)', means('latencyMs.mean', 1000)],
  ['throughput', means('outputTokensPerSec')],
  ['throughput(average output tokens per second)', means('outputTokensPerSec')],
  ['throughput(average tokens/s)', means('outputTokensPerSec')],
  ['output token throughput (tok/s)', means('outputTokensPerSec')],
  ['output throughput (tok/s)', means('outputTokensPerSec')],
  ['total token throughput (tok/s)', means('totalTokensPerSec')],
  ['total throughput (tok/s)', means('totalTokensPerSec')],
  ['average time to first token', means('ttftMs.mean', 1000)],
  ['average time to first token (s)', means('ttftMs.mean', 1000)],
  ['avg ttft (ms)', means('ttftMs.mean')],
  ['average time per output token', means('tpotMs.mean', 1000)],
  ['average time per output token (s)', means('tpotMs.mean', 1000)],
  ['avg tpot (ms)', means('tpotMs.mean')],
  ['average inter-token latency (s)', means('itlMs.mean', 1000)],
  ['avg itl (ms)', means('itlMs.mean')],
  ['average input tokens per request', means('inputTokens.mean')],
  ['avg input tokens', means('inputTokens.mean')],
  ['average output tokens per request', means('outputTokens.mean')],
  ['avg output tokens', means('outputTokens.mean')],
  ['average package per request', means('server.packagesPerRequest')],
  ['average package latency', means('server.packageLatencyMs', 1000)],
  ['average package latency (s)', means('server.packageLatencyMs', 1000)],
  ['kv cache hit rate (%)', means('cachedInputRatio', 0.01)],
]);

/** The columns of evalscope's percentile tables; null = a column this summary has no place for. */
export const evalscopeColumns: ReadonlyMap<
  string,
  {
    name: 'latencyMs' | 'ttftMs' | 'tpotMs' | 'itlMs' | 'inputTokens' | 'outputTokens' | 'userTokensPerSec';
    scale: number;
  }
> = new Map([
  ['ttft (s)', { name: 'ttftMs', scale: 1000 }],
  ['ttft (ms)', { name: 'ttftMs', scale: 1 }],
  ['itl (s)', { name: 'itlMs', scale: 1000 }],
  ['itl (ms)', { name: 'itlMs', scale: 1 }],
  ['tpot (s)', { name: 'tpotMs', scale: 1000 }],
  ['tpot (ms)', { name: 'tpotMs', scale: 1 }],
  ['latency (s)', { name: 'latencyMs', scale: 1000 }],
  ['input tokens', { name: 'inputTokens', scale: 1 }],
  ['output tokens', { name: 'outputTokens', scale: 1 }],
  ['output (tok/s)', { name: 'userTokensPerSec', scale: 1 }],
  ['output throughput(tok/s)', { name: 'userTokensPerSec', scale: 1 }],
]);

/** "50%", "p50", "min", "max" as a statistic of a summary; null for a percentile a summary does not carry. */
export function statisticOf(text: string): StatisticName | null {
  const word = text.trim().toLowerCase();
  if (word === 'min' || word === 'max' || word === 'mean') return word;
  if (word === 'avg' || word === 'average') return 'mean';
  if (word === 'median') return 'p50';
  const rank = /^p?\s?(50|66|75|80|90|95|98|99)(?:\.0+)?%?$/.exec(word);
  return rank === null ? null : (`p${rank[1]}` as StatisticName);
}
