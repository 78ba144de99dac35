import { means } from '../reading/fact-key.ts';
import type { DistributionName, Meaning } from '../reading/fact-key.ts';
import { statisticOf } from '../evalscope/labels.ts';

/** What the labels of vLLM's and SGLang's serving blocks of 2024 to now stand for, in normalLabel form. */
export const servingLabels: ReadonlyMap<string, Meaning> = new Map([
  ['successful requests', means('counts.ok')],
  ['failed requests', means('counts.failed')],
  ['maximum request concurrency', means('load.concurrency')],
  ['max request concurrency', means('load.concurrency')],
  ['max reqeuest concurrency', means('load.concurrency')],
  ['request rate configured (rps)', means('load.ratePerSec')],
  ['traffic request rate', means('load.ratePerSec')],
  ['benchmark duration (s)', means('durationMs', 1000)],
  ['total input tokens', means('totals.inputTokens')],
  ['total generated tokens', means('totals.outputTokens')],
  ['total generated tokens (retokenized)', means('server.retokenizedOutputTokens')],
  ['request throughput (req/s)', means('requestsPerSec')],
  ['request goodput (req/s)', means('goodput.requestsPerSec')],
  ['input token throughput (tok/s)', means('inputTokensPerSec')],
  ['output token throughput (tok/s)', means('outputTokensPerSec')],
  ['total token throughput (tok/s)', means('totalTokensPerSec')],
  ['peak output token throughput (tok/s)', means('server.peakOutputTokensPerSec')],
  ['peak concurrent requests', means('server.peakConcurrentRequests')],
  ['concurrency', means('concurrencyAchieved')],
  ['accept length', means('server.acceptLength')],
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
