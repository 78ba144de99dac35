import { leastOf, mostOf } from '../../core/index.ts';
import type { AsMeasured } from '../measured.ts';
import { servedOf, sumOf } from '../served.ts';
import type { Served } from '../served.ts';

const digits = (value: number, count = 4): number => Number(value.toFixed(count));

/** benchmark_summary.json of evalscope 1.x: its labels are its keys; its definitions. */
export function summaryJson({ plan, summary, exchanges }: AsMeasured): Record<string, number> {
  const served = servedOf(exchanges);
  const { counts } = summary;
  const n = Math.max(1, served.length);
  const starts = exchanges.flatMap((exchange) => (exchange.sentMs === null ? [] : [exchange.sentMs]));
  // A request that failed does not extend that tool's window.
  const endMs = Math.max(0, mostOf(served.map((one) => one.endMs)));
  const wallSec = Math.max(1e-9, (endMs - leastOf(starts)) / 1000);
  const input = sumOf(served, (one) => one.inputTokens);
  const output = sumOf(served, (one) => one.outputTokens);
  const gaps = served.flatMap((one) => one.gapsMs);
  const streamed = plan.generation.stream;
  return {
    'Test Duration (s)': digits(served.length === 0 ? 0 : wallSec),
    Concurrency: plan.load.concurrency ?? -1,
    'Request Rate (req/s)': plan.load.ratePerSec ?? -1,
    'Total Requests': counts.planned,
    'Success Requests': counts.ok,
    'Failed Requests': counts.planned - counts.ok,
    'Stream Requests': streamed ? counts.ok : 0,
    'Non-Stream Requests': streamed ? 0 : counts.ok,
    'Req Throughput (req/s)': digits(served.length / wallSec),
    'Avg Latency (s)': digits(sumOf(served, (one) => one.latencyMs) / n / 1000),
    'Avg Input Tokens': digits(input / n),
    'Output Throughput (tok/s)': digits(output / wallSec),
    'Total Throughput (tok/s)': digits((input + output) / wallSec),
    'Avg TTFT (ms)': digits(sumOf(served, (one) => one.ttftMs ?? one.latencyMs) / n),
    'Avg TPOT (ms)': digits(sumOf(served, tpotOf) / n),
    'Avg ITL (ms)': digits(gaps.length === 0 ? 0 : sumOf(gaps, (gap) => gap) / gaps.length),
    'Avg Output Tokens': digits(output / n),
    // Of embeddings only, there as here.
    'Input Throughput (tok/s)': 0,
  };
}

const rows = [1, 5, 10, 25, 50, 75, 90, 95, 99];

/** benchmark_percentile.json of evalscope 1.x: one row per percentile, by its nearest-rank rule (1.14). */
export function percentileJson({ exchanges }: AsMeasured): Record<string, number | string | null>[] {
  const served = servedOf(exchanges);
  const columns: Record<string, number[]> = {
    'Latency (s)': served.map((one) => one.latencyMs / 1000),
    'TTFT (ms)': served.map((one) => one.ttftMs ?? one.latencyMs),
    'ITL (ms)': served.flatMap((one) => one.gapsMs),
    'TPOT (ms)': served.map(tpotOf),
    'Input tokens': served.map((one) => one.inputTokens ?? 0),
    'Output tokens': served.map((one) => one.outputTokens ?? 0),
    'Output (tok/s)': served.map((one) => ((one.outputTokens ?? 0) / one.latencyMs) * 1000),
    'Total (tok/s)': served.map((one) => (((one.inputTokens ?? 0) + (one.outputTokens ?? 0)) / one.latencyMs) * 1000),
    'Decode (tok/s)': served
      .map(tpotOf)
      .filter((ms) => ms > 0)
      .map((ms) => 1000 / ms),
  };
  const ascending = Object.entries(columns).map(([name, values]) => [name, values.toSorted((a, b) => a - b)] as const);
  const row = (name: string, of: (values: readonly number[]) => number): Record<string, number | string | null> => ({
    Percentiles: name,
    ...Object.fromEntries(
      ascending.map(([column, values]) => [column, values.length === 0 ? null : digits(of(values))]),
    ),
  });
  return [
    row('min', (values) => values[0]!),
    ...rows.map((rank) => row(`${rank}%`, (values) => nearestRank(values, rank))),
    row('max', (values) => values.at(-1)!),
  ];
}

/** (latency − TTFT) / (output tokens − 1); 0 for an answer of one token, and the zeros stay in. */
function tpotOf(one: Served): number {
  const tokens = one.outputTokens ?? 0;
  return tokens <= 1 || one.ttftMs === null ? 0 : (one.latencyMs - one.ttftMs) / (tokens - 1);
}

/** The value at rank ⌈n·p/100⌉; the block of 0.5 takes the one behind it. */
function nearestRank(ascending: readonly number[], percent: number): number {
  return ascending[Math.max(0, Math.ceil((ascending.length * percent) / 100) - 1)]!;
}
