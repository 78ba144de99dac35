/** So long in any case: what is read in the meantime is stamped late by this much, no more than a timer is late anyway. */
const leastMs = 0.15;
/** A long round has made reads late already; so much more does not count. */
const partOfRound = 0.5;
const mostMs = 4;

/**
 * How long the client may send, or record, in one round of the event loop before it looks for bytes to stamp again.
 * `tookMs` is the length of the round before, 0 where there was none.
 */
export function roundBudgetMs(tookMs: number): number {
  return Math.min(mostMs, Math.max(leastMs, partOfRound * tookMs));
}
