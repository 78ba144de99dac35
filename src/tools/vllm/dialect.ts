import type { Distribution, Summary } from '../../core/index.ts';
import { countOf, pointsOf, secondsOf } from '../../results/report/index.ts';
import { dialectNotes, givenBack, totalTokens } from '../dialect.ts';
import type { Reporter } from '../../results/report/index.ts';
import { printedBlock } from './block.ts';
import type { BlockRow, BlockSection } from './block.ts';
import type { VllmMetric } from './figures.ts';

/**
 * The "Serving Benchmark Result" block of `vllm bench serve`: its labels, widths and digits, one block per point. A
 * figure that is not known has no line; latency stands as that tool's E2EL. Whatever must be known before the figures
 * are read stands above the block, where that tool prints its own remarks.
 */
export const vllm: Reporter = (what) => pointsOf(what).map(givenBack('vllm', block)).join('\n');

function block(summary: Summary): string {
  const { counts, load } = summary;
  const whole = (value: number | null): string | null => (value === null ? null : String(Math.round(value)));
  const two = (value: number | null | undefined): string | null =>
    typeof value === 'number' ? value.toFixed(2) : null;
  const rows: BlockRow[] = [
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
  const spreads: [VllmMetric, Distribution | null][] = [
    ['ttft', summary.ttftMs],
    ['tpot', summary.tpotMs],
    ['itl', summary.itlMs],
    ['e2el', summary.latencyMs],
  ];
  const sections = spreads.flatMap(([metric, dist]): BlockSection[] => {
    if (dist === null) return [];
    const { mean, p50, p90, p99 } = dist;
    return [{ metric, figures: Object.entries({ Mean: mean, Median: p50, P90: p90, P99: p99 }) }];
  });
  return [...dialectNotes(summary), printedBlock(rows, sections)].join('\n');
}
