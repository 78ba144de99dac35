import { collect, okOutcome, rowValues } from './request-table.ts';
import type { RowValue } from './request-table.ts';
import type { Window } from './steady-window.ts';
import { bucketMs } from './time-buckets.ts';
import type { Trace } from './trace.ts';

/** A run cut into stretches of time: what came in each, and which stretch each request was sent in. */
export interface Slices {
  /** steady: the stretch in which the asked load stood; whole: from the first send to the last end. */
  basis: 'steady' | 'whole';
  window: Window;
  count: number;
  durationMs: Float64Array;
  tokens: Float64Array;
  okEnds: Float64Array;
  sent: Float64Array;
  failed: Float64Array;
  /** Values of the ok requests sent in the window, with the stretch each was sent in. */
  values(value: RowValue): { slice: Uint16Array; values: Float64Array };
}

/** At most so many stretches: more would gain little and shorten them. */
export const mostSlices = 30;
/** Fewer say nothing about how much a figure varies. */
export const fewestSlices = 6;
/** Requests in flight together are alike, so a stretch lasts at least so many mean latencies. */
const latenciesPerSlice = 3;

/** Cuts a run; null where it is too short to be cut into enough stretches. */
export function slicesOf(trace: Trace): Slices | null {
  const steady = trace.steady();
  const span = trace.span();
  return (steady === null ? null : cut(trace, steady, 'steady')) ?? (span === null ? null : cut(trace, span, 'whole'));
}

function cut(trace: Trace, window: Window, basis: Slices['basis']): Slices | null {
  const { table } = trace;
  const inside = (row: number): boolean => table.sent.at(row) >= window.fromMs && table.sent.at(row) < window.toMs;
  const ok = (row: number): boolean => table.outcome.at(row) === okOutcome && inside(row);
  const latencies = collect(table, rowValues.latencyMs, ok);
  if (latencies.length === 0) return null;
  const fromMs = Math.floor(window.fromMs / bucketMs) * bucketMs;
  const toMs = Math.ceil(window.toMs / bucketMs) * bucketMs;
  const latencyMs = latencies.reduce((a, b) => a + b, 0) / latencies.length;
  const longest = Math.max(bucketMs, latenciesPerSlice * latencyMs);
  const count = Math.min(mostSlices, Math.floor((toMs - fromMs) / longest));
  if (count < fewestSlices) return null;
  const edges = Array.from(
    { length: count + 1 },
    (_, i) => fromMs + Math.round(((toMs - fromMs) * i) / count / bucketMs) * bucketMs,
  );
  const per = (of: (from: number, to: number) => number): Float64Array =>
    Float64Array.from({ length: count }, (_, i) => of(edges[i]!, edges[i + 1]!));
  const sliceAt = (sentMs: number): number => {
    let at = Math.min(count - 1, Math.floor(((sentMs - fromMs) * count) / (toMs - fromMs)));
    while (at > 0 && sentMs < edges[at]!) at -= 1;
    while (at < count - 1 && sentMs >= edges[at + 1]!) at += 1;
    return at;
  };
  const sent = new Float64Array(count);
  const failed = new Float64Array(count);
  for (let row = 0; row < table.sent.length; row++) {
    if (!inside(row)) continue;
    const at = sliceAt(table.sent.at(row));
    sent[at]! += 1;
    if (table.outcome.at(row) === 1) failed[at]! += 1;
  }
  return {
    basis,
    window,
    count,
    durationMs: per((from, to) => to - from),
    tokens: per((from, to) => trace.tokenArrivals.between(from, to)),
    okEnds: per((from, to) => trace.okEnds.between(from, to)),
    sent,
    failed,
    values(value) {
      const values = collect(table, value, ok);
      const at = collect(table, (t, row) => (Number.isNaN(value(t, row)) ? NaN : sliceAt(t.sent.at(row))), ok);
      return { slice: Uint16Array.from(at), values };
    },
  };
}
