import { labels, means } from '../reading/fact-key.ts';
import type { Meaning, StatisticName } from '../reading/fact-key.ts';

/**
 * What evalscope's labels of v0.5 to v1.14 stand for, in normalLabel form. Text blocks, tables and
 * benchmark_summary.json share them; the unit in brackets is part of the label because it changed over the years.
 */
export const evalscopeLabels: ReadonlyMap<string, Meaning> = labels([
  [means('durationMs', 1000), 'time taken for tests; time taken for tests (s); test duration (s)'],
  [means('counts.planned'), 'expected number of requests'],
  [means('load.concurrency'), 'number of concurrency; concurrency'],
  [means('load.ratePerSec'), 'request rate (req/s)'],
  [means('counts.ended'), 'total requests'],
  [means('counts.ok'), 'succeed requests; success requests'],
  [means('counts.failed'), 'failed requests'],
  [means('server.streamRequests'), 'stream requests'],
  [means('server.nonStreamRequests'), 'non-stream requests'],
  [means('requestsPerSec'), 'average qps; request throughput (req/s); req throughput (req/s)'],
  [means('latencyMs.mean', 1000), 'average latency; average latency (s); avg latency (s)'],
  [
    means('outputTokensPerSec'),
    'throughput; throughput(average output tokens per second); throughput(average tokens/s); ' +
      'output token throughput (tok/s); output throughput (tok/s)',
  ],
  [means('totalTokensPerSec'), 'total token throughput (tok/s); total throughput (tok/s)'],
  [means('ttftMs.mean', 1000), 'average time to first token; average time to first token (s)'],
  [means('ttftMs.mean'), 'avg ttft (ms)'],
  [means('tpotMs.mean', 1000), 'average time per output token; average time per output token (s)'],
  [means('tpotMs.mean'), 'avg tpot (ms)'],
  [means('itlMs.mean', 1000), 'average inter-token latency (s)'],
  [means('itlMs.mean'), 'avg itl (ms)'],
  [means('inputTokens.mean'), 'average input tokens per request; avg input tokens'],
  [means('outputTokens.mean'), 'average output tokens per request; avg output tokens'],
  [means('server.packagesPerRequest'), 'average package per request'],
  [means('server.packageLatencyMs', 1000), 'average package latency; average package latency (s)'],
  [means('cachedInputRatio', 0.01), 'kv cache hit rate (%)'],
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
