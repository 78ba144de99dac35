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

/** Rows of a block, label and figure; null = it has no such row. */
export type BlockRow = readonly [label: string, figure: string | null];

/** The spread of one metric in ms, by the name of each figure. */
export interface BlockSection {
  metric: VllmMetric;
  figures: readonly (readonly [name: string, ms: number | null])[];
}

/** The result block: labels of 40 columns, figures of at least 10, sections centred in 50, as vLLM prints them. */
export function printedBlock(rows: readonly BlockRow[], sections: readonly BlockSection[]): string {
  const lines = (all: readonly BlockRow[]): string[] =>
    all.flatMap(([label, figure]) => (figure === null ? [] : [`${label.padEnd(40)} ${figure.padEnd(10)}`]));
  return `${[
    centred(' Serving Benchmark Result ', '='),
    ...lines(rows),
    ...sections.flatMap(({ metric, figures }) => {
      const [title, word] = titles[metric];
      return [
        centred(title, '-'),
        ...lines(figures.map(([name, ms]): BlockRow => [`${name} ${word} (ms):`, ms === null ? null : ms.toFixed(2)])),
      ];
    }),
    '='.repeat(width),
  ].join('\n')}\n`;
}

/** The block of a run that was measured as vLLM's benchmark does it. */
export function vllmBlock(figures: VllmFigures, options: VllmBlockOptions): string {
  const now = options.dialect === 'now';
  const { goodputPerSec: goodput, peakTokensPerSec: peak, peakConcurrent } = figures;
  const rows: BlockRow[] = [
    ['Successful requests:', String(figures.completed)],
    ['Failed requests:', now ? String(figures.failed) : null],
    ['Maximum request concurrency:', now && options.maxConcurrency !== null ? String(options.maxConcurrency) : null],
    [
      'Request rate configured (RPS):',
      now && Number.isFinite(options.requestRate) ? options.requestRate.toFixed(2) : null,
    ],
    ['Benchmark duration (s):', figures.durationSec.toFixed(2)],
    ['Total input tokens:', String(figures.inputTokens)],
    ['Total generated tokens:', String(figures.outputTokens)],
    ['Request throughput (req/s):', figures.requestsPerSec.toFixed(2)],
    ['Request goodput (req/s):', goodput === null ? null : goodput.toFixed(2)],
    ['Output token throughput (tok/s):', figures.outputTokensPerSec.toFixed(2)],
    ['Peak output token throughput (tok/s):', now ? peak.toFixed(2) : null],
    ['Peak concurrent requests:', now ? peakConcurrent.toFixed(2) : null],
    [now ? 'Total token throughput (tok/s):' : 'Total Token throughput (tok/s):', figures.totalTokensPerSec.toFixed(2)],
  ];
  const sections = options.metrics.map((metric): BlockSection => {
    const { mean, median, at } = statistics(figures.samples[metric], options.percentiles);
    const ranks = options.percentiles.map((percent, i) => [`P${percent}`, at[i]!] as const);
    return { metric, figures: [['Mean', mean], ['Median', median], ...ranks] };
  });
  return printedBlock(rows, sections);
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

/** As Python's format centres: an odd blank goes to the right. */
function centred(title: string, fill: string): string {
  const left = Math.floor((width - title.length) / 2);
  return fill.repeat(left) + title + fill.repeat(width - title.length - left);
}

/** A float as Python prints it. */
export function pythonFloat(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : String(value);
}
