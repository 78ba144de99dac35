import { quantile } from '../../core/index.ts';
import { collect, okOutcome, rowValues } from './request-table.ts';
import type { RowValue } from './request-table.ts';
import { bucketMs } from './time-buckets.ts';
import type { Trace } from './trace.ts';

/** One stretch of a run, for charts over time; null = nothing to read there. */
export interface TimelineStep {
  /** Middle of the stretch, from the first send. */
  atMs: number;
  /** Mean over the stretch. */
  inFlight: number;
  outputTokensPerSec: number;
  requestsPerSec: number;
  /** Of the requests sent in the stretch. */
  ttftMs: Record<'p50' | 'p90' | 'p99', number | null>;
  /** Mean gap per request, of the requests sent in the stretch. */
  itlMs: Record<'p50' | 'p90' | 'p99', number | null>;
}

/** One request as a bar: when it was sent, had its first output, ended; from the first send. */
export interface RequestSpan {
  seq: number;
  sentMs: number;
  firstOutputMs: number | null;
  endMs: number;
  ok: boolean;
}

const ranks = { p50: 0.5, p90: 0.9, p99: 0.99 } as const;

/** Fewer requests than this in a stretch make percentiles that jump. */
const requestsPerStep = 8;

/** A run over time in at most so many stretches of equal length; empty where nothing was sent. */
export function timelineOf(trace: Trace, most = 120): TimelineStep[] {
  const span = trace.span();
  if (span === null) return [];
  const fromMs = Math.floor(span.fromMs / bucketMs) * bucketMs;
  const steps = Math.min(most, Math.max(10, Math.floor(trace.table.sent.length / requestsPerStep)));
  const stepMs = Math.max(1, Math.ceil((span.toMs - fromMs) / steps / bucketMs)) * bucketMs;
  const count = Math.max(1, Math.ceil((span.toMs - fromMs) / stepMs));
  const busy = busyTime(trace, fromMs, stepMs, count);
  const ttft = perStep(trace, rowValues.ttftMs, fromMs, stepMs, count);
  const itl = perStep(trace, rowValues.meanGapMs, fromMs, stepMs, count);
  return Array.from({ length: count }, (_, i) => {
    const [from, to] = [fromMs + i * stepMs, fromMs + (i + 1) * stepMs];
    const measured = Math.max(1, Math.min(to, span.toMs) - Math.max(from, span.fromMs));
    return {
      atMs: (Math.max(from, span.fromMs) + Math.min(to, span.toMs)) / 2 - span.fromMs,
      inFlight: busy[i]! / measured,
      outputTokensPerSec: (trace.tokenArrivals.between(from, to) * 1000) / measured,
      requestsPerSec: (trace.okEnds.between(from, to) * 1000) / measured,
      ttftMs: percentiles(ttft[i]!),
      itlMs: percentiles(itl[i]!),
    };
  });
}

/** Request-milliseconds in flight in each stretch: differences at both ends, then one running sum. */
function busyTime({ table }: Trace, fromMs: number, stepMs: number, count: number): Float64Array {
  const partial = new Float64Array(count + 1);
  const whole = new Float64Array(count + 1);
  for (let row = 0; row < table.sent.length; row++) {
    const sent = table.sent.at(row);
    if (Number.isNaN(sent)) continue;
    const [start, end] = [(sent - fromMs) / stepMs, (table.end.at(row) - fromMs) / stepMs];
    const [first, last] = [Math.min(count - 1, Math.floor(start)), Math.min(count - 1, Math.floor(end))];
    if (first === last) partial[first]! += end - start;
    else {
      partial[first]! += first + 1 - start;
      partial[last]! += end - last;
      whole[first + 1]! += 1;
      whole[last]! -= 1;
    }
  }
  let full = 0;
  return Float64Array.from({ length: count }, (_, i) => {
    full += whole[i]!;
    return (partial[i]! + full) * stepMs;
  });
}

function perStep({ table }: Trace, value: RowValue, fromMs: number, stepMs: number, count: number): number[][] {
  const lists: number[][] = Array.from({ length: count }, () => []);
  for (let row = 0; row < table.sent.length; row++) {
    if (table.outcome.at(row) !== okOutcome) continue;
    const one = value(table, row);
    if (Number.isNaN(one)) continue;
    lists[Math.min(count - 1, Math.max(0, Math.floor((table.sent.at(row) - fromMs) / stepMs)))]!.push(one);
  }
  return lists;
}

function percentiles(values: number[]): TimelineStep['ttftMs'] {
  const ascending = Float64Array.from(values).sort();
  const at = (key: keyof typeof ranks): number | null => quantile(ascending, ranks[key]);
  return { p50: at('p50'), p90: at('p90'), p99: at('p99') };
}

/** The distribution of a per-request time as (share, value) pairs, at most so many, both ends included. */
export function cdfOf(
  trace: Trace,
  key: 'latencyMs' | 'ttftMs' | 'tpotMs',
  most = 200,
): { share: number; value: number }[] {
  const { table } = trace;
  const ascending = collect(table, rowValues[key], (row) => table.outcome.at(row) === okOutcome).sort();
  const n = ascending.length;
  if (n === 0) return [];
  const count = Math.min(n, most);
  return Array.from({ length: count }, (_, i) => {
    const at = count === 1 ? 0 : Math.round((i * (n - 1)) / (count - 1));
    return { share: (at + 1) / n, value: ascending[at]! };
  });
}

/** Every request of the run, thinned to at most so many, in the order they were sent. */
export function requestSpans(trace: Trace, most = 200): RequestSpan[] {
  const { table, seq } = trace;
  const span = trace.span();
  if (span === null) return [];
  const rows: number[] = [];
  for (let row = 0; row < table.sent.length; row++) if (!Number.isNaN(table.sent.at(row))) rows.push(row);
  rows.sort((a, b) => table.sent.at(a) - table.sent.at(b) || seq.at(a) - seq.at(b));
  const stride = Math.max(1, Math.ceil(rows.length / most));
  return rows
    .filter((_, i) => i % stride === 0)
    .map((row) => {
      const first = table.firstOutput.at(row);
      return {
        seq: seq.at(row),
        sentMs: table.sent.at(row) - span.fromMs,
        firstOutputMs: Number.isNaN(first) ? null : first - span.fromMs,
        endMs: table.end.at(row) - span.fromMs,
        ok: table.outcome.at(row) === okOutcome,
      };
    });
}
