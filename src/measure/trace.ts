import { outputTokensOf } from '../core/index.ts';
import type { Exchange, LoadShape } from '../core/index.ts';
import { makeColumn } from './column.ts';
import { addRequest, collect, makeRequestTable, okOutcome } from './request-table.ts';
import type { RequestTable } from './request-table.ts';
import { steadyWindow } from './steady-window.ts';
import type { Window } from './steady-window.ts';
import { measuredSpan } from './figures.ts';
import { makeTimeBuckets } from './time-buckets.ts';
import type { TimeBuckets } from './time-buckets.ts';
import { forEachTokenGap, tokenReads } from './token-reads.ts';

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
  const sent = (row: number): boolean => !Number.isNaN(table.sent.at(row));
  return {
    table,
    seq,
    tokenArrivals,
    okEnds,
    add(exchange) {
      if (exchange.warmup) return;
      let gap: number | null = null;
      if (exchange.outcome === 'ok') {
        const reads = tokenReads(exchange);
        // An answer whose reads say nothing of tokens counts when it is complete, as in the meter.
        if (reads.tokens.some((tokens) => tokens > 0))
          for (let i = 0; i < reads.atMs.length; i++) tokenArrivals.add(reads.atMs[i]!, reads.tokens[i]!);
        else tokenArrivals.add(exchange.endMs, outputTokensOf(exchange) ?? 0);
        gap = meanGap(reads);
        okEnds.add(exchange.endMs, 1);
      }
      addRequest(table, exchange, gap);
      seq.push(exchange.seq);
    },
    span: () => measuredSpan(table),
    steady() {
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
      });
    },
  };
}

function meanGap(reads: ReturnType<typeof tokenReads>): number | null {
  let [time, weight] = [0, 0];
  forEachTokenGap(reads, (gapMs, tokens) => {
    time += gapMs * tokens;
    weight += tokens;
  });
  return weight > 0 ? time / weight : null;
}
