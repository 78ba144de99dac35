import type { Goodput } from '../../core/index.ts';
import { perSec } from './figures.ts';
import { okOutcome, rowValues } from './request-table.ts';
import type { RequestTable, RowValue } from './request-table.ts';
import { timeMetrics, withinLimit } from './slo.ts';
import type { Slo, TimeMetric } from './slo.ts';

/** What one request is judged on for each metric word. */
const judged: Record<TimeMetric, RowValue> = {
  ttft: rowValues.ttftMs,
  tpot: rowValues.tpotMs,
  itl: rowValues.meanGapMs,
  latency: rowValues.latencyMs,
  lateness: rowValues.latenessMs,
};

/** Goodput from the number of requests that kept every promise; null where no promise is about time. */
export function goodputOf(
  good: number | null,
  slos: readonly Slo[],
  facts: { issued: number; durationMs: number | null },
): Goodput | null {
  const promises = promisesOf(slos);
  if (promises.length === 0) return null;
  return {
    slo: promises.map((promise) => promise.text),
    requestsPerSec: perSec(good, facts.durationMs),
    ratio: good !== null && facts.issued > 0 ? good / facts.issued : null,
  };
}

/**
 * The ok requests that keep every promise about time, each judged on its own value whatever statistic was written;
 * null where a needed fact (stream, token counts) is missing. A request of one token has no tpot and no gap, and keeps
 * those promises.
 */
export function countGood(table: RequestTable, slos: readonly Slo[], stream: boolean): number | null {
  const judge = goodJudge(slos, stream);
  let good = 0;
  for (let row = 0; row < table.sent.length; row++) {
    const kept = judge(table, row);
    if (kept === null) return null;
    if (kept) good += 1;
  }
  return good;
}

/** Judges one request as countGood does; null = a needed fact is missing. */
export function goodJudge(slos: readonly Slo[], stream: boolean): (table: RequestTable, row: number) => boolean | null {
  const promises = promisesOf(slos);
  const needsStream = promises.some(({ metric }) => metric === 'ttft' || metric === 'tpot' || metric === 'itl');
  const needsTokens = promises.some(({ metric }) => metric === 'tpot');
  return (table, row) => {
    if (table.outcome.at(row) !== okOutcome) return false;
    if ((needsStream && !stream) || (needsTokens && Number.isNaN(table.outputTokens.at(row)))) return null;
    return promises.every((promise) => {
      const value = judged[promise.metric](table, row);
      return Number.isNaN(value) ? promise.metric === 'tpot' || promise.metric === 'itl' : withinLimit(promise, value);
    });
  };
}

function promisesOf(slos: readonly Slo[]): (Slo & { metric: TimeMetric })[] {
  return slos.filter((slo): slo is Slo & { metric: TimeMetric } =>
    (timeMetrics as readonly string[]).includes(slo.metric),
  );
}
