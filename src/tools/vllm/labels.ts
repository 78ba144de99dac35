import { labels, means } from '../reading/fact-key.ts';
import type { DistributionName, Meaning } from '../reading/fact-key.ts';
import { statisticOf } from '../evalscope/labels.ts';

/** What the labels of vLLM's and SGLang's serving blocks of 2024 to now stand for, in normalLabel form. */
export const servingLabels: ReadonlyMap<string, Meaning> = labels([
  [means('counts.ok'), 'successful requests'],
  [means('counts.failed'), 'failed requests'],
  [means('load.concurrency'), 'maximum request concurrency; max request concurrency; max reqeuest concurrency'],
  [means('load.ratePerSec'), 'request rate configured (rps); traffic request rate'],
  [means('durationMs', 1000), 'benchmark duration (s)'],
  [means('totals.inputTokens'), 'total input tokens'],
  [means('totals.outputTokens'), 'total generated tokens'],
  [means('server.retokenizedOutputTokens'), 'total generated tokens (retokenized)'],
  [means('requestsPerSec'), 'request throughput (req/s)'],
  [means('goodput.requestsPerSec'), 'request goodput (req/s)'],
  [means('inputTokensPerSec'), 'input token throughput (tok/s)'],
  [means('outputTokensPerSec'), 'output token throughput (tok/s)'],
  [means('totalTokensPerSec'), 'total token throughput (tok/s)'],
  [means('server.peakOutputTokensPerSec'), 'peak output token throughput (tok/s)'],
  [means('server.peakConcurrentRequests'), 'peak concurrent requests'],
  [means('concurrencyAchieved'), 'concurrency'],
  [means('server.acceptLength'), 'accept length'],
]);

const metricWords: Record<string, DistributionName> = {
  ttft: 'ttftMs',
  tpot: 'tpotMs',
  itl: 'itlMs',
  e2el: 'latencyMs',
  'e2e latency': 'latencyMs',
  'client queue time': 'latenessMs',
  'e2el incl. client queue': 'latencyFromDueMs',
};

/** "Mean TTFT (ms)", "P99 ITL (ms)" …; undefined = not such a label, null = a figure a summary does not carry. */
export function servingStatistic(label: string): Meaning | null | undefined {
  const match =
    /^(mean|median|std|max|min|p[\d.]+) (ttft|tpot|itl|e2el|e2e latency|client queue time|e2el incl\. client queue) \(ms\)$/.exec(
      label,
    );
  if (match === null) return undefined;
  const statistic = statisticOf(match[1]!);
  return statistic === null ? null : means(`${metricWords[match[2]!]!}.${statistic}`);
}
