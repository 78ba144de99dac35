import type { Distribution, Summary } from '../../core/index.ts';
import { countOf, pointsOf, secondsOf } from '../../results/report/index.ts';
import { dialectNotes, givenBack, totalTokens } from '../dialect.ts';
import type { Reporter } from '../../results/report/index.ts';

/**
 * The "Serving Benchmark Result" block of `vllm bench serve`: its labels, widths and digits, one block per point. A
 * figure that is not known has no line; latency stands as that tool's E2EL. Whatever must be known before the figures
 * are read stands above the block, where that tool prints its own remarks.
 */
export const vllm: Reporter = (what) => pointsOf(what).map(givenBack('vllm', block)).join('\n');

const width = 50;

function block(summary: Summary): string {
  const { counts, load } = summary;
  const whole = (value: number | null): string | null => (value === null ? null : String(Math.round(value)));
  const two = (value: number | null | undefined): string | null =>
    typeof value === 'number' ? value.toFixed(2) : null;
  const lines: [string, string | null][] = [
    ['Successful requests:', whole(countOf(counts, 'ok'))],
    ['Failed requests:', whole(countOf(counts, 'failed'))],
    ['Maximum request concurrency:', whole(load.concurrency)],
    ['Request rate configured (RPS):', two(load.ratePerSec)],
    ['Benchmark duration (s):', two(secondsOf(summary.durationMs))],
    ['Total input tokens:', whole(totalTokens(summary, 'input'))],
    ['Total generated tokens:', whole(totalTokens(summary, 'output'))],
    ['Request throughput (req/s):', two(summary.requestsPerSec)],
    ['Request goodput (req/s):', two(summary.goodput?.requestsPerSec)],
    ['Output token throughput (tok/s):', two(summary.outputTokensPerSec)],
    ['Total token throughput (tok/s):', two(summary.totalTokensPerSec)],
  ];
  return [
    ...dialectNotes(summary),
    centred(' Serving Benchmark Result ', '='),
    ...lines.flatMap(([label, value]) => (value === null ? [] : [row(label, value)])),
    ...section('Time to First Token', 'TTFT', summary.ttftMs),
    ...section('Time per Output Token (excl. 1st token)', 'TPOT', summary.tpotMs),
    ...section('Inter-token Latency', 'ITL', summary.itlMs),
    ...section('End-to-end Latency', 'E2EL', summary.latencyMs),
    '='.repeat(width),
    '',
  ].join('\n');
}

function row(label: string, value: string): string {
  return `${label.padEnd(40)} ${value.padEnd(10)}`;
}

function section(title: string, word: string, dist: Distribution | null): string[] {
  if (dist === null) return [];
  const rows = [
    ['Mean', dist.mean],
    ['Median', dist.p50],
    ['P90', dist.p90],
    ['P99', dist.p99],
  ] as const;
  return [
    centred(title, '-'),
    ...rows.flatMap(([name, value]) => (value === null ? [] : [row(`${name} ${word} (ms):`, value.toFixed(2))])),
  ];
}

function centred(title: string, fill: string): string {
  const left = Math.floor((width - title.length) / 2);
  return fill.repeat(left) + title + fill.repeat(width - title.length - left);
}
