import { statistics } from './figures.ts';
import type { VllmFigures, VllmMetric } from './figures.ts';

/** What the block shows besides the figures. */
export interface VllmBlockOptions {
  /** now: `vllm bench serve`; 2025: benchmark_serving.py up to v0.10. */
  dialect: 'now' | '2025';
  maxConcurrency: number | null;
  /** Infinity = all at once. */
  requestRate: number;
  metrics: readonly VllmMetric[];
  percentiles: readonly number[];
}

const titles: Record<VllmMetric, readonly [title: string, word: string]> = {
  ttft: ['Time to First Token', 'TTFT'],
  tpot: ['Time per Output Token (excl. 1st token)', 'TPOT'],
  itl: ['Inter-token Latency', 'ITL'],
  e2el: ['End-to-end Latency', 'E2EL'],
  client_queue_time: ['Client-side Queueing', 'Client Queue Time'],
  e2el_including_client_queue: ['Queue-inclusive End-to-end Latency', 'E2EL incl. Client Queue'],
};

const width = 50;

/** The result block: labels of 40 columns, values of at least 10, sections centred in 50, as vLLM prints them. */
export function vllmBlock(figures: VllmFigures, options: VllmBlockOptions): string {
  const now = options.dialect === 'now';
  const rows: (readonly [string, string] | null)[] = [
    ['Successful requests:', String(figures.completed)],
    now ? ['Failed requests:', String(figures.failed)] : null,
    now && options.maxConcurrency !== null ? ['Maximum request concurrency:', String(options.maxConcurrency)] : null,
    now && Number.isFinite(options.requestRate)
      ? ['Request rate configured (RPS):', options.requestRate.toFixed(2)]
      : null,
    ['Benchmark duration (s):', figures.durationSec.toFixed(2)],
    ['Total input tokens:', String(figures.inputTokens)],
    ['Total generated tokens:', String(figures.outputTokens)],
    ['Request throughput (req/s):', figures.requestsPerSec.toFixed(2)],
    figures.goodputPerSec === null ? null : ['Request goodput (req/s):', figures.goodputPerSec.toFixed(2)],
    ['Output token throughput (tok/s):', figures.outputTokensPerSec.toFixed(2)],
    now ? ['Peak output token throughput (tok/s):', figures.peakTokensPerSec.toFixed(2)] : null,
    now ? ['Peak concurrent requests:', figures.peakConcurrent.toFixed(2)] : null,
    [now ? 'Total token throughput (tok/s):' : 'Total Token throughput (tok/s):', figures.totalTokensPerSec.toFixed(2)],
  ];
  return `${[
    centred(' Serving Benchmark Result ', '='),
    ...rows.flatMap((row) => (row === null ? [] : [line(row[0], row[1])])),
    ...options.metrics.flatMap((metric) => section(metric, figures, options.percentiles)),
    '='.repeat(width),
  ].join('\n')}\n`;
}

/** The lines above the block. */
export function vllmPreamble(options: VllmBlockOptions, burstiness: number, warmups: number): string {
  const process = burstiness === 1 ? 'Poisson process' : 'Gamma distribution';
  return [
    ...(options.dialect === '2025'
      ? ['Starting initial single prompt test run...', 'Initial test run completed. Starting main benchmark run...']
      : [
          'Starting initial single prompt test run...',
          'Skipping endpoint ready check.',
          ...(warmups === 0 ? [] : [`Warming up with ${warmups} requests...`, 'Warmup run completed.']),
          'Starting main benchmark run...',
        ]),
    `Traffic request rate: ${Number.isFinite(options.requestRate) ? pythonFloat(options.requestRate) : 'inf'}`,
    `Burstiness factor: ${pythonFloat(burstiness)} (${process})`,
    `Maximum request concurrency: ${options.maxConcurrency ?? 'None'}`,
    '',
  ].join('\n');
}

function section(metric: VllmMetric, figures: VllmFigures, percentiles: readonly number[]): string[] {
  const [title, word] = titles[metric];
  const { mean, median, at } = statistics(figures.samples[metric], percentiles);
  return [
    centred(title, '-'),
    line(`Mean ${word} (ms):`, mean.toFixed(2)),
    line(`Median ${word} (ms):`, median.toFixed(2)),
    ...percentiles.map((percent, i) => line(`P${percent} ${word} (ms):`, at[i]!.toFixed(2))),
  ];
}

function line(label: string, value: string): string {
  return `${label.padEnd(40)} ${value.padEnd(10)}`;
}

/** As Python's format centres: an odd blank goes to the right. */
function centred(title: string, fill: string): string {
  const left = Math.floor((width - title.length) / 2);
  return fill.repeat(left) + title + fill.repeat(width - title.length - left);
}

/** A float as Python prints it. */
export function pythonFloat(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : String(value);
}
