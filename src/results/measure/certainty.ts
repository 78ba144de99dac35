import type { Summary } from '../../core/index.ts';
import { correlationFactor } from './correlation.ts';
import { estimate } from './change.ts';
import { checkSlo, judgesSteadyPart } from './check-slo.ts';
import { okOutcome } from './request-table.ts';
import { sliceStatistic, timeValues } from './slice-statistic.ts';
import { slicesOf } from './slices.ts';
import type { Slices } from './slices.ts';
import { withinLimit } from './slo.ts';
import type { MetricWord, Slo, TimeMetric } from './slo.ts';
import { regularizedBeta } from './student.ts';
import type { Trace } from './trace.ts';

/** How a figure stands to a limit, and whether another run like this one would say the same. */
export interface Standing {
  /** kept or broken for sure (each wrong in 5 % at the most); unsure: it lies too near; unknown: there is no such figure. */
  state: 'kept' | 'broken' | 'unsure' | 'unknown';
  measured: number | null;
  /** Requests with which a run like this one would be sure; null = that cannot be told, or it is sure already. */
  needs: number | null;
}

/** How often a sure word may be wrong, on each side. */
const mayErr = 0.05;
/** Nobody is told to send more. */
const mostNeeded = 10_000_000;

/**
 * Whether a run keeps a promise for sure. What is said of each request, a largest and a smallest value are facts of the run;
 * a percentile and a share are counted (how many requests lie beyond the limit, by the binomial law), a mean or a rate has the interval
 * of its stretches. Without requests (`trace` null) nothing but facts can be sure.
 */
export function standingOf(slo: Slo, summary: Summary, trace: Trace | null): Standing {
  const { met, value } = checkSlo(slo, summary);
  if (met === null || value === null) return { state: 'unknown', measured: null, needs: null };
  const fact: Standing = { state: met ? 'kept' : 'broken', measured: value, needs: null };
  const unsure = (needs: number | null): Standing => ({ state: 'unsure', measured: value, needs });
  const isTime = slo.unit === 'ms';
  if (isTime && (slo.statistic === null || slo.statistic === 'max' || slo.statistic === 'min')) return fact;
  if (slo.unit === 'ratio') {
    const { issued } = summary.counts;
    return slo.limit <= 0 || slo.limit >= 1 ? fact : ofShare(value * issued, issued, slo.limit, issued, fact, unsure);
  }
  if (trace === null) return unsure(null);
  const slices = slicesOf(trace);
  const requests = summary.counts.issued;
  if (isTime && slo.statistic !== 'mean') {
    const { beyond, of } = countBeyond(slo, summary, trace);
    if (of === 0) return unsure(null);
    const allowed = 1 - Number(slo.statistic!.slice(1)) / 100;
    // Requests of the same moment are alike, so that many say less than their number.
    const alike = slices === null ? 1 : alikeness(slo.metric as TimeMetric, slo.limit, slices);
    return ofShare(beyond / alike, of / alike, allowed, requests, fact, unsure);
  }
  return ofMean(slo, value, { summary, trace, slices }, fact, unsure);
}

/** A share beyond the limit against the share that may be; `of` counts what is independent, `requests` what was sent. */
function ofShare(
  beyond: number,
  of: number,
  allowed: number,
  requests: number,
  fact: Standing,
  unsure: (needs: number | null) => Standing,
): Standing {
  const sure = (factor: number): boolean => {
    const [k, n] = [beyond * factor, of * factor];
    // P(X ≤ k) and P(X ≥ k) of the binomial law at the share that is just allowed.
    const fewer = k >= n ? 1 : 1 - regularizedBeta(allowed, k + 1, n - k);
    const more = k <= 0 ? 1 : regularizedBeta(allowed, k, n - k + 1);
    return Math.min(fewer, more) <= mayErr;
  };
  if (sure(1)) return fact;
  if (beyond / of === allowed) return unsure(null);
  let high = 2;
  while (!sure(high) && high * requests < mostNeeded) high *= 2;
  if (!sure(high)) return unsure(null);
  let low = high / 2;
  while ((high - low) * requests > 1 && high - low > 0.005) {
    const middle = (low + high) / 2;
    if (sure(middle)) high = middle;
    else low = middle;
  }
  return unsure(Math.ceil(high * requests));
}

/** Of the requests that the promise is held against, how many lie beyond its limit. */
function countBeyond(slo: Slo, summary: Summary, { table }: Trace): { beyond: number; of: number } {
  const valueOf = timeValues[slo.metric as TimeMetric];
  const { limit } = slo;
  const { fromMs, toMs } = judgesSteadyPart(slo, summary) ? summary.steady! : { fromMs: -Infinity, toMs: Infinity };
  let [beyond, of] = [0, 0];
  for (let row = 0; row < table.sent.length; row++) {
    if (table.sent.at(row) < fromMs || table.sent.at(row) >= toMs) continue;
    const value = table.outcome.at(row) === okOutcome ? valueOf(table, row) : NaN;
    if (Number.isNaN(value)) continue;
    of += 1;
    if (value > limit) beyond += 1;
  }
  return { beyond, of };
}

/** How many requests count as one, because those of neighbouring stretches lie beyond the limit together. */
function alikeness(metric: TimeMetric, limit: number, slices: Slices): number {
  const { slice, values } = slices.values(timeValues[metric]);
  const beyond = values.map((value) => (value > limit ? 1 : 0));
  const share = beyond.reduce((sum, one) => sum + one, 0) / Math.max(1, values.length);
  const parts = new Float64Array(slices.count);
  for (let i = 0; i < values.length; i++) parts[slice[i]!]! += beyond[i]! - share;
  return correlationFactor(parts) ** 2;
}

function ofMean(
  slo: Slo,
  value: number,
  { summary, trace, slices }: { summary: Summary; trace: Trace; slices: Slices | null },
  fact: Standing,
  unsure: (needs: number | null) => Standing,
): Standing {
  const { issued } = summary.counts;
  if (slo.unit === 'ms') {
    const { beyond, of } = countBeyond(slo, summary, trace);
    // Where every request lies on one side, so does any mean of them.
    if (of > 1 && (beyond === 0 || beyond === of)) return fact;
  }
  const word = basisOf[slo.metric] ?? slo.metric;
  const figure = slices === null ? null : sliceStatistic(slices, word, slo.statistic ?? 'mean');
  const found = figure === null ? null : estimate(figure, { confidence: 1 - 2 * mayErr, name: `limit ${slo.text}` });
  if (found === null || !(found.value > 0)) return unsure(fewestFor(summary, trace));
  const half = ((found.interval[1] - found.interval[0]) / 2 / found.value) * value;
  const apart = Math.abs(value - slo.limit);
  if (apart > half || (half === 0 && withinLimit(slo, value))) return fact;
  const needs = apart === 0 ? Infinity : issued * (half / apart) ** 2;
  return unsure(needs > mostNeeded ? null : Math.ceil(needs));
}

/** Rates that vary as another does, whose stretches are at hand. */
const basisOf: Partial<Record<MetricWord, MetricWord>> = {
  goodput: 'requestsPerSec',
  totalTokensPerSec: 'outputTokensPerSec',
};

/** A run is long enough for an interval once it lasts so many mean latencies (six stretches of three). */
const latenciesOfRun = 20;

function fewestFor({ counts, latencyMs }: Summary, trace: Trace): number | null {
  const span = trace.span();
  const mean = latencyMs?.mean ?? null;
  if (span === null || mean === null || span.toMs <= span.fromMs) return null;
  const lengthMs = Math.max(latenciesOfRun * mean, 1000);
  const needs = (counts.issued * lengthMs) / (span.toMs - span.fromMs);
  return needs > counts.issued && needs < mostNeeded ? Math.ceil(needs) : null;
}
