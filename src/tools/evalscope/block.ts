import { percentileRanks } from '../../core/index.ts';
import type { AsMeasured } from '../measured.ts';
import { servedOf, sumOf } from '../served.ts';
import type { Served } from '../served.ts';

/** The figures of evalscope 0.5.5's closing block, by that tool's definitions; seconds. -1 = nothing succeeded, as there. */
export interface EvalscopeFigures {
  totalSec: number;
  expected: number;
  concurrency: number;
  total: number;
  succeeded: number;
  failed: number;
  qps: number;
  latencySec: number;
  tokensPerSec: number;
  firstTokenSec: number;
  inputTokens: number;
  outputTokens: number;
  secPerToken: number;
  packages: number;
  packageSec: number;
  /** null = too few answers for that tool to give any. */
  percentiles: { firstTokenSec: number[]; latencySec: number[] } | null;
}

/** Reads the figures of one point off its exchanges. */
export function evalscopeFigures({ plan, summary, exchanges }: AsMeasured): EvalscopeFigures {
  const served = servedOf(exchanges);
  const { counts } = summary;
  const n = served.length;
  const totalSec = (summary.durationMs ?? 0) / 1000;
  const output = sumOf(served, (one) => one.outputTokens);
  const packages = served.map(packagesOf);
  const count = sumOf(packages, (one) => one.count);
  const mean = (of: (one: Served) => number | null): number => (n === 0 ? -1 : sumOf(served, of) / n);
  const firstTokens = served.map((one) => (one.ttftMs ?? one.latencyMs) / 1000).toSorted((a, b) => a - b);
  const latencies = served.map((one) => one.latencyMs / 1000).toSorted((a, b) => a - b);
  const streamed = packages.at(-1)?.streamed === true;
  return {
    totalSec,
    expected: counts.planned,
    concurrency: plan.load.concurrency ?? -1,
    total: counts.ok + counts.failed + counts.cancelled,
    succeeded: n,
    failed: counts.failed + counts.cancelled,
    qps: totalSec === 0 ? 0 : n / totalSec,
    latencySec: n === 0 ? -1 : mean((one) => one.latencyMs) / 1000,
    tokensPerSec: n === 0 || totalSec === 0 ? -1 : output / totalSec,
    firstTokenSec: n === 0 ? -1 : mean((one) => one.ttftMs ?? one.latencyMs) / 1000,
    inputTokens: mean((one) => one.inputTokens),
    outputTokens: mean((one) => one.outputTokens),
    secPerToken: output === 0 ? -1 : totalSec / output,
    // That tool takes the first and the last package away and puts them back into the mean.
    packages: n === 0 ? -1 : count / n + (streamed ? 2 : 0),
    packageSec: count === 0 ? -1 : sumOf(packages, (one) => one.ms) / count / 1000,
    percentiles:
      n > percentileRanks.length ? { firstTokenSec: ranked(firstTokens), latencySec: ranked(latencies) } : null,
  };
}

/** The block itself: labels, digits and blanks as evalscope 0.5.5 prints them. */
export function evalscopeBlock(figures: EvalscopeFigures): string {
  const lines = [
    'Benchmarking summary: ',
    ` Time taken for tests: ${figures.totalSec.toFixed(3)} seconds`,
    ` Expected number of requests: ${figures.expected}`,
    ` Number of concurrency: ${figures.concurrency}`,
    ` Total requests: ${figures.total}`,
    ` Succeed requests: ${figures.succeeded}`,
    ` Failed requests: ${figures.failed}`,
    ` Average QPS: ${figures.qps.toFixed(3)}`,
    ` Average latency: ${figures.latencySec.toFixed(3)}`,
    ` Throughput(average output tokens per second): ${figures.tokensPerSec.toFixed(3)}`,
    ` Average time to first token: ${figures.firstTokenSec.toFixed(3)}`,
    ` Average input tokens per request: ${figures.inputTokens.toFixed(3)}`,
    ` Average output tokens per request: ${figures.outputTokens.toFixed(3)}`,
    ` Average time per output token: ${figures.secPerToken.toFixed(5)}`,
    ` Average package per request: ${figures.packages.toFixed(3)}`,
    ` Average package latency: ${figures.packageSec.toFixed(3)}`,
  ];
  const { percentiles } = figures;
  if (percentiles === null) return `${[...lines, ' Too little data to calculate quantiles!'].join('\n')}\n`;
  const section = (title: string, values: readonly number[]): string[] => [
    ` ${title}: `,
    ...percentileRanks.map((rank, i) => `     p${rank}: ${values[i]!.toFixed(4)}`),
  ];
  return `${[
    ...lines,
    ...section('Percentile of time to first token', percentiles.firstTokenSec),
    ...section('Percentile of request latency', percentiles.latencySec),
  ].join('\n')}\n`;
}

/** evalscope's percentile: the element at ⌊n·p/100⌋ of the ascending list, not interpolated. */
export function evalscopePercentile(ascending: readonly number[], percent: number): number {
  const at = Math.floor((ascending.length * percent) / 100);
  return ascending[Math.min(at, ascending.length - 1)]!;
}

function ranked(ascending: readonly number[]): number[] {
  return percentileRanks.map((rank) => evalscopePercentile(ascending, rank));
}

/** Packages between the first and the last of a stream, and the time from the first to the last but one. */
function packagesOf(one: Served): { count: number; ms: number; streamed: boolean } {
  if (one.events <= 1) return { count: 1, ms: one.latencyMs, streamed: false };
  return { count: one.events - 2, ms: sumOf(one.gapsMs.slice(0, -1), (gap) => gap), streamed: true };
}
