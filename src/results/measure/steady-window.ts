import type { LoadShape } from '../../core/index.ts';
import { outsideSilences } from './silence.ts';
import { bucketMs } from './time-buckets.ts';

/** A stretch of the run's clock, [fromMs, toMs). */
export interface Window {
  fromMs: number;
  toMs: number;
}

/** A steady window shorter than this says nothing. */
export const shortestSteadyMs = 1000;

/** When the requests were due, sent and over; sent and end of those that left, in any order. */
export interface Occupancy {
  dueMs: Float64Array;
  sentMs: Float64Array;
  endMs: Float64Array;
  meanLatencyMs: number | null;
  /** When the server was silent; absent = never. */
  silences?: readonly Window[];
}

/**
 * The stretch in which the asked load stood, its edges snapped inward to whole 100 ms; null where it never stood or
 * lasted less than a second. Closed loop: the opening cohort, which all ask at once, is outside: from the moment that as many
 * requests as asked are in flight and as many have ended, until the last send. Open loop: from the first due time plus the mean latency until the last due time. Of a run in which the server
 * fell silent it is the longest part without a silence.
 */
export function steadyWindow(load: Pick<LoadShape, 'kind' | 'concurrency'>, occupancy: Occupancy): Window | null {
  const whole = load.kind === 'closed' ? closedEdges(load.concurrency, occupancy) : openEdges(occupancy);
  if (whole === null) return null;
  const edges = outsideSilences(whole, occupancy.silences ?? []);
  const fromMs = Math.ceil(edges.fromMs / bucketMs) * bucketMs;
  const toMs = Math.floor(edges.toMs / bucketMs) * bucketMs;
  return toMs - fromMs >= shortestSteadyMs ? { fromMs, toMs } : null;
}

function closedEdges(concurrency: number | null, { sentMs, endMs }: Occupancy): Window | null {
  if (concurrency === null || sentMs.length === 0) return null;
  const sends = sentMs.toSorted();
  const ends = endMs.toSorted();
  let ended = 0;
  for (let i = 0; i < sends.length; i++) {
    const now = sends[i]!;
    while (ended < ends.length && ends[ended]! <= now) ended += 1;
    // Requests that end as the next one leaves (virtual time) are never both in flight.
    let sent = i + 1;
    while (sent < sends.length && sends[sent] === now) sent += 1;
    if (sent - ended < concurrency) continue;
    const opened = ends[concurrency - 1] ?? Infinity;
    return { fromMs: Math.max(now, opened), toMs: sends[sends.length - 1]! };
  }
  return null;
}

function openEdges({ dueMs, meanLatencyMs }: Occupancy): Window | null {
  if (dueMs.length === 0 || meanLatencyMs === null) return null;
  let first = Infinity;
  let last = -Infinity;
  for (const due of dueMs) {
    first = Math.min(first, due);
    last = Math.max(last, due);
  }
  return { fromMs: first + meanLatencyMs, toMs: last };
}
