import { shapedDistributionOf } from '../../core/index.ts';
import type { Distribution, Figures, LoadShape } from '../../core/index.ts';
import { collect, okOutcome, rowValues } from './request-table.ts';
import type { RequestTable, RowValue } from './request-table.ts';
import type { Window } from './steady-window.ts';

/** The distributions of Figures that come from one value per request. */
export type RequestDistributions = Pick<
  Figures,
  'latencyMs' | 'ttftMs' | 'tpotMs' | 'latencyFromDueMs' | 'ttftFromDueMs' | 'latenessMs'
>;

/**
 * The distributions over the ok requests (lateness: over all that left), of those sent inside the window where one is
 * given and, where silences are, of those that met none. First-token figures are null where the run is not streamed, due-time figures where the loop is closed.
 */
export function requestDistributions(
  table: RequestTable,
  load: Pick<LoadShape, 'kind'>,
  stream: boolean,
  window: Window | null,
  silences: readonly Window[] = [],
): RequestDistributions {
  const inside = (row: number): boolean => {
    const sent = table.sent.at(row);
    if (silences.some(({ fromMs, toMs }) => sent < toMs && table.end.at(row) > fromMs)) return false;
    return window === null ? !Number.isNaN(sent) : sent >= window.fromMs && sent < window.toMs;
  };
  const ok = (row: number): boolean => table.outcome.at(row) === okOutcome && inside(row);
  const over = (value: RowValue, wanted = true, passes = ok): Distribution | null =>
    wanted ? shapedDistributionOf(collect(table, value, passes)) : null;
  const open = load.kind === 'open';
  return {
    latencyMs: over(rowValues.latencyMs),
    ttftMs: over(rowValues.ttftMs, stream),
    tpotMs: over(rowValues.tpotMs, stream),
    latencyFromDueMs: over(rowValues.latencyFromDueMs, open),
    ttftFromDueMs: over(rowValues.ttftFromDueMs, open && stream),
    latenessMs: over(rowValues.latenessMs, open, inside),
  };
}

/** First send and last end of everything that left; null where nothing did. */
export function measuredSpan(table: RequestTable): Window | null {
  let fromMs = Infinity;
  let toMs = -Infinity;
  for (let row = 0; row < table.sent.length; row++) {
    const sent = table.sent.at(row);
    if (Number.isNaN(sent)) continue;
    fromMs = Math.min(fromMs, sent);
    toMs = Math.max(toMs, table.end.at(row));
  }
  return fromMs <= toMs ? { fromMs, toMs } : null;
}

/** Mean number of requests in flight over a window, whatever became of them; null for an empty window. */
export function meanInFlight(table: RequestTable, window: Window): number | null {
  const spanMs = window.toMs - window.fromMs;
  if (!(spanMs > 0)) return null;
  const busy = collect(
    table,
    (t, row) => Math.min(t.end.at(row), window.toMs) - Math.max(t.sent.at(row), window.fromMs),
    (row) => table.end.at(row) > window.fromMs && table.sent.at(row) < window.toMs,
  );
  return sumOf(busy) / spanMs;
}

/**
 * How many requests were answered in a stretch, each by the share of its time that lies in it. Counting ends instead would say
 * nothing of a loop whose requests end in waves: a stretch of one wave holds the ends of none or of all.
 */
export function answeredWithin(table: RequestTable, window: Window): number {
  const shares = collect(
    table,
    (t, row) => {
      const [sent, end] = [t.sent.at(row), t.end.at(row)];
      if (end <= sent) return 1;
      return (Math.min(end, window.toMs) - Math.max(sent, window.fromMs)) / (end - sent);
    },
    (row) =>
      table.outcome.at(row) === okOutcome && table.end.at(row) > window.fromMs && table.sent.at(row) < window.toMs,
  );
  return sumOf(shares);
}

/** The sum in ascending order, so that it does not depend on the order of arrival. */
export function sumOf(values: Float64Array): number {
  let sum = 0;
  for (const value of values.sort()) sum += value;
  return sum;
}

/** An amount per second over a stretch of time; null where either is not known or the stretch is empty. */
export function perSec(amount: number | null, spanMs: number | null): number | null {
  return amount === null || spanMs === null || !(spanMs > 0) ? null : (amount * 1000) / spanMs;
}
