import { outputTokensOf } from '../../core/index.ts';
import type { Exchange } from '../../core/index.ts';
import { withinLimit } from '../../results/measure/index.ts';
import type { Slo } from '../../results/measure/index.ts';
import { shown } from './stop-watch.ts';
import type { StopWatch } from './stop-watch.ts';

/** Fewer values than this say nothing about a share. */
const leastValues = 30;
/** One-sided 99.9 % of the normal distribution: a goal is given up by mistake once in a thousand. */
const z = 3.09;
/** A goal without a statistic is about every request; it is hopeless when half of them miss it. */
const plainShare = 0.5;
/** Times as many requests as a closed loop has in flight that have to end first: its steady part then holds what was missed. */
const cohorts = 3;

/**
 * Ends the run when a goal can no longer be met: more values miss it than the whole plan may have (`planned` requests,
 * where the plan is a count), or their share is above the allowed one with 99.9 % confidence. A failed request misses
 * every goal about times. Goals about means and rates are not watched. `opening` = requests that a closed loop asks at once at its
 * start, which a statistic leaves out; a statistic is judged once three times as many have ended.
 */
export function sloWatch(slo: Slo, planned: number | null, opening = 0): StopWatch | null {
  const allowed = allowedShare(slo);
  if (allowed === null) return null;
  let values = 0;
  let missed = 0;
  let ended = 0;
  return {
    look(_, last) {
      if (last.outcome !== 'ok' && last.outcome !== 'failed') return null;
      ended += 1;
      if (slo.statistic !== null && ended <= opening) return null;
      const misses = missesOf(slo, last);
      values += misses.length;
      missed += misses.filter(Boolean).length;
      if (slo.statistic !== null && ended < cohorts * opening) return null;
      const certain = planned !== null && slo.metric !== 'itl' && missed > allowed * planned;
      if (!certain && (values < leastValues || wilsonLeast(missed, values) <= allowed)) return null;
      return {
        says: {
          en: `${slo.text} cannot be met any more: ${missed} of ${values} miss it (${shown((100 * missed) / values)} %, allowed ${shown(100 * allowed)} %)`,
          zh: `${slo.text} 已无法达到：${values} 个中 ${missed} 个未达标（${shown((100 * missed) / values)} %，允许 ${shown(100 * allowed)} %）`,
        },
        evidence: { missed, of: values, allowedRatio: allowed },
      };
    },
  };
}

/** The share of values that may miss the goal; null = the goal is not one about single values. */
function allowedShare({ metric, statistic, unit, limit, op }: Slo): number | null {
  if (metric === 'failed') return unit === 'ratio' && op.startsWith('<') ? limit : null;
  if (unit !== 'ms' || !op.startsWith('<')) return null;
  if (statistic === null) return plainShare;
  if (statistic === 'max') return 0;
  if (statistic === 'mean' || statistic === 'min') return null;
  return (100 - Number(statistic.slice(1))) / 100;
}

/** For each value of the exchange whether it misses the goal. */
function missesOf(slo: Slo, last: Exchange): boolean[] {
  const failed = last.outcome !== 'ok';
  if (slo.metric === 'failed' || failed) return [failed];
  const { sentMs, endMs, dueMs, chunks } = last;
  const first = chunks.atMs[0];
  if (sentMs === null) return [];
  const miss = (value: number): boolean[] => [!withinLimit(slo, value)];
  switch (slo.metric) {
    case 'latency':
      return miss(endMs - sentMs);
    case 'lateness':
      return miss(sentMs - dueMs);
    case 'ttft':
      return first === undefined ? [] : miss(first - sentMs);
    case 'tpot': {
      const tokens = outputTokensOf(last);
      return first === undefined || tokens === null || tokens < 2 ? [] : miss((endMs - first) / (tokens - 1));
    }
    case 'itl':
      return chunks.atMs.slice(1).flatMap((at, i) => miss(at - chunks.atMs[i]!));
    default:
      return [];
  }
}

/** The lower end of Wilson's interval for a share. */
function wilsonLeast(hits: number, of: number): number {
  const share = hits / of;
  const centre = share + (z * z) / (2 * of);
  const width = z * Math.sqrt((share * (1 - share)) / of + (z * z) / (4 * of * of));
  return (centre - width) / (1 + (z * z) / of);
}
