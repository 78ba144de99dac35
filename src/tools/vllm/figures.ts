import { leastOf, quantile } from '../../core/index.ts';
import type { AsMeasured } from '../measured.ts';
import { servedOf, sumOf } from '../served.ts';
import type { Served } from '../served.ts';

/** What vLLM's benchmark shows the spread of; waiting in the client only where a cap makes requests wait. */
export const vllmMetrics = ['ttft', 'tpot', 'itl', 'e2el', 'client_queue_time', 'e2el_including_client_queue'] as const;
export type VllmMetric = (typeof vllmMetrics)[number];

/** A request that meets every limit counts for goodput; ms. */
export type Goodput = Partial<Record<'ttft' | 'tpot' | 'e2el', number>>;

/** The figures of one run by vLLM's definitions; times in ms unless they say otherwise. */
export interface VllmFigures {
  completed: number;
  failed: number;
  durationSec: number;
  inputTokens: number;
  outputTokens: number;
  requestsPerSec: number;
  goodputPerSec: number | null;
  outputTokensPerSec: number;
  totalTokensPerSec: number;
  /** The most chunks within one second of the run, counted in whole seconds from its beginning. */
  peakTokensPerSec: number;
  /** The most requests that touched one of those seconds. */
  peakConcurrent: number;
  /** Ascending. */
  samples: Record<VllmMetric, number[]>;
  served: Served[];
  /** From when a request was there to be sent until it was: all are there at once, or at their times of a rate. */
  queuedMs(request: { dueMs: number; sentMs: number | null }): number;
}

/** Reads the figures off the exchanges; E2EL ends with the last byte, TPOT needs more than one token. */
export function vllmFigures({ plan, summary, exchanges }: AsMeasured, goodput: Goodput | null): VllmFigures {
  const served = servedOf(exchanges);
  const beginMs = leastOf(exchanges.map(({ sentMs }) => sentMs ?? Infinity));
  const queuedMs = ({ dueMs, sentMs }: { dueMs: number; sentMs: number | null }): number =>
    sentMs === null ? 0 : Math.max(0, sentMs - (plan.load.ratePerSec === null ? beginMs : dueMs));
  const waited = (one: Served): number => queuedMs({ dueMs: one.dueMs, sentMs: one.startMs });
  const durationSec = Math.max(1e-9, (summary.durationMs ?? 0) / 1000);
  const inputTokens = sumOf(served, (one) => one.inputTokens);
  const outputTokens = sumOf(served, (one) => one.outputTokens);
  const good = goodput === null ? null : served.filter((one) => meets(one, goodput)).length;
  const ascending = (values: number[]): number[] => values.toSorted((a, b) => a - b);
  return {
    completed: served.length,
    failed: summary.counts.planned - served.length,
    durationSec,
    inputTokens,
    outputTokens,
    requestsPerSec: served.length / durationSec,
    goodputPerSec: good === null ? null : good / durationSec,
    outputTokensPerSec: outputTokens / durationSec,
    totalTokensPerSec: (inputTokens + outputTokens) / durationSec,
    ...peaksOf(served),
    samples: {
      ttft: ascending(served.map((one) => one.ttftMs ?? one.latencyMs)),
      tpot: ascending(served.flatMap((one) => ((one.outputTokens ?? 0) > 1 ? [tpotOf(one)] : []))),
      itl: ascending(served.flatMap((one) => one.gapsMs)),
      e2el: ascending(served.map((one) => one.latencyMs)),
      client_queue_time: ascending(served.map(waited)),
      e2el_including_client_queue: ascending(served.map((one) => one.latencyMs + waited(one))),
    },
    served,
    queuedMs,
  };
}

/** Mean, median, population standard deviation and the percentiles asked for (NumPy's interpolation); 0 for no sample. */
export function statistics(
  ascending: readonly number[],
  percentiles: readonly number[],
): { mean: number; median: number; deviation: number; at: number[] } {
  const n = ascending.length;
  if (n === 0) return { mean: 0, median: 0, deviation: 0, at: percentiles.map(() => 0) };
  const mean = sumOf(ascending, (value) => value) / n;
  const variance = sumOf(ascending, (value) => (value - mean) ** 2) / n;
  return {
    mean,
    median: quantile(ascending, 0.5)!,
    deviation: Math.sqrt(variance),
    at: percentiles.map((percent) => quantile(ascending, percent / 100)!),
  };
}

function tpotOf(one: Served): number {
  const tokens = one.outputTokens ?? 0;
  return tokens > 1 ? (one.latencyMs - (one.ttftMs ?? one.latencyMs)) / (tokens - 1) : 0;
}

function meets(one: Served, limits: Goodput): boolean {
  return (
    (one.ttftMs ?? one.latencyMs) <= (limits.ttft ?? Infinity) &&
    tpotOf(one) <= (limits.tpot ?? Infinity) &&
    one.latencyMs <= (limits.e2el ?? Infinity)
  );
}

function peaksOf(served: readonly Served[]): { peakTokensPerSec: number; peakConcurrent: number } {
  const beginMs = leastOf(served.map((one) => one.startMs));
  const tokens = new Map<number, number>();
  const requests = new Map<number, number>();
  const add = (counts: Map<number, number>, second: number): void => {
    counts.set(second, (counts.get(second) ?? 0) + 1);
  };
  const secondOf = (ms: number): number => Math.floor((ms - beginMs) / 1000);
  for (const one of served) {
    let atMs = one.startMs + (one.ttftMs ?? one.latencyMs);
    add(tokens, secondOf(atMs));
    for (const gap of one.gapsMs) {
      atMs += gap;
      add(tokens, secondOf(atMs));
    }
    for (let second = secondOf(one.startMs); second <= secondOf(one.endMs); second++) add(requests, second);
  }
  return { peakTokensPerSec: Math.max(0, ...tokens.values()), peakConcurrent: Math.max(0, ...requests.values()) };
}
