import { outputTokensOf } from '../../core/index.ts';
import type { Exchange, LoadShape } from '../../core/index.ts';
import { makeColumn } from './column.ts';
import { FlowBook } from './flow.ts';
import { addRequest, collect, makeRequestTable, okOutcome } from './request-table.ts';
import type { RequestTable } from './request-table.ts';
import { SilenceBook } from './silence.ts';
import { steadyWindow } from './steady-window.ts';
import type { Window } from './steady-window.ts';
import { measuredSpan } from './figures.ts';
import { bucketMs, makeTimeBuckets } from './time-buckets.ts';
import type { TimeBuckets } from './time-buckets.ts';

/**
 * What is kept of a run for charts and intervals: one row of numbers per request, and tokens by the 100 ms they
 * arrived in. Stamps of single tokens are summed up on the way, so a million requests take about 120 MB.
 */
export interface Trace {
  readonly table: RequestTable;
  readonly seq: ReturnType<typeof makeColumn>;
  readonly tokenArrivals: TimeBuckets;
  readonly okEnds: TimeBuckets;
  add(exchange: Exchange): void;
  /** First send to last end; null where nothing was sent. */
  span(): Window | null;
  /** The stretch in which the asked load stood; null where it never did. */
  steady(): Window | null;
}

/** A trace of a run under a load, with nothing in it. Warm-up is left out. */
export function makeTrace(load: Pick<LoadShape, 'kind' | 'concurrency'>): Trace {
  const table = makeRequestTable();
  const seq = makeColumn();
  const tokenArrivals = makeTimeBuckets();
  const okEnds = makeTimeBuckets();
  const flow = new FlowBook();
  const silence = new SilenceBook();
  const sent = (row: number): boolean => !Number.isNaN(table.sent.at(row));
  return {
    table,
    seq,
    tokenArrivals,
    okEnds,
    add(exchange) {
      if (exchange.warmup) return;
      flow.saw(exchange);
      silence.saw(exchange);
      let gap: number | null = null;
      if (exchange.outcome === 'ok') {
        gap = bookTokens(tokenArrivals, exchange);
        okEnds.add(exchange.endMs, 1);
      }
      addRequest(table, exchange, gap);
      seq.push(exchange.seq);
    },
    span: () => measuredSpan(table),
    steady() {
      if (flow.read(load).rising) return null;
      const latencies = collect(
        table,
        (t, row) => t.end.at(row) - t.sent.at(row),
        (row) => table.outcome.at(row) === okOutcome,
      );
      let sum = 0;
      for (const latency of latencies) sum += latency;
      return steadyWindow(load, {
        dueMs: table.due.toArray(),
        sentMs: collect(table, (t, row) => t.sent.at(row), sent),
        endMs: collect(table, (t, row) => t.end.at(row), sent),
        meanLatencyMs: latencies.length === 0 ? null : sum / latencies.length,
        silences: silence.read(),
      });
    },
  };
}

/**
 * Records the tokens of an answer when they came, scaled to the count of the whole answer as tokenReads does, and gives the
 * mean gap between them; null where there is none. One pass and no lists: a report may read a hundred million stamps.
 */
function bookTokens(arrivals: TimeBuckets, exchange: Exchange): number | null {
  const { atMs, tokens } = exchange.chunks;
  const whole = outputTokensOf(exchange);
  let told = 0;
  for (const count of tokens) told += count;
  if (!(told > 0)) {
    // An answer whose reads say nothing of tokens counts when it is complete, as in the meter.
    arrivals.add(exchange.endMs, whole ?? 0);
    return null;
  }
  const scale = whole !== null && whole > 0 ? whole / told : 1;
  const firstMs = atMs[0]!;
  let lastMs = firstMs;
  let after = 0;
  let bucket = Math.floor(firstMs / bucketMs);
  let waiting = 0;
  for (let i = 0; i < atMs.length; i++) {
    const at = atMs[i]!;
    const count = tokens[i]!;
    if (at > firstMs && count > 0) {
      after += count;
      lastMs = at;
    }
    if (Math.floor(at / bucketMs) !== bucket) {
      if (waiting > 0) arrivals.add(bucket * bucketMs, waiting * scale);
      bucket = Math.floor(at / bucketMs);
      waiting = 0;
    }
    waiting += count;
  }
  if (waiting > 0) arrivals.add(bucket * bucketMs, waiting * scale);
  return after > 0 ? (lastMs - firstMs) / (after * scale) : null;
}
