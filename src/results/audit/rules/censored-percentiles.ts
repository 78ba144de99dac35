import { known } from '../printed-room.ts';
import type { PointRule } from '../rule.ts';
import { percent, showMs } from '../wording.ts';

/** Timeouts that clients are run with, in seconds. */
const usualTimeoutsSec = [30, 60, 120, 180, 300, 600, 900, 1200, 1800, 3600];
/** p99 this close under a timeout is pinned to it, where more than a stray request was lost. */
const pinned = 0.97;
const straysOnly = 0.002;
/** From 1 % lost on, the true p99 lies beyond the timeout, however wide the gap to the survivors' p99. */
const cutShare = 0.01;
const pinnedWhenCut = 0.9;

/** Percentiles of the survivors only: the slow end was cut off by a timeout. */
export const censoredPercentiles: PointRule = {
  code: 'censored-percentiles',
  severities: ['warn', 'invalid'],
  meaning: {
    en: 'p99 sits just under a usual timeout and requests are missing: whatever took longer was cut off and left the statistics. Mean and percentiles describe the survivors.',
    zh: 'p99 恰在常见超时之下且有请求缺失：更慢的请求被截断并排除在统计之外，均值与百分位只反映幸存者。',
  },
  taughtBy:
    'Qwen2-72B long prompts at 50: p90 to p99 lie between 597.3 and 598.9 s under a 600 s timeout, with 40 of 100 requests failed or vanished.',
  check(point) {
    const { failed, unaccounted, planned } = point.counts;
    const p99 = point.latencyMs?.p99 ?? null;
    const lost = (known(failed) ? failed : 0) + (known(unaccounted) ? unaccounted : 0);
    if (!known(p99) || lost === 0) return null;
    // A run of ours names each failure: without timeouts nothing was cut, and with them the count is there to read.
    const own = point.source.tool === 'llmdyno';
    if (own && !Object.keys(point.counts.byProblem).some((code) => code.startsWith('timeout-'))) return null;
    const share = known(planned) && planned > 0 ? lost / planned : 0;
    if (share < straysOnly && known(planned)) return null;
    const window = share >= cutShare ? pinnedWhenCut : pinned;
    const timeoutSec = usualTimeoutsSec.find((sec) => p99 <= sec * 1005 && p99 >= sec * 1000 * window);
    if (timeoutSec === undefined) return null;
    return {
      severity: own ? 'warn' : 'invalid',
      message: {
        en: `p99 is ${showMs(p99)}, just under ${timeoutSec} s, and ${lost} requests (${percent(share)}) are missing: a ${timeoutSec} s timeout cut off the slow ones. Mean and percentiles describe the survivors only.`,
        zh: `p99 为 ${showMs(p99)}，恰在 ${timeoutSec} s 之下，且缺少 ${lost} 个请求（${percent(share)}）：${timeoutSec} s 超时截断了慢请求，均值与百分位只反映幸存者。`,
      },
      evidence: { p99Ms: p99, timeoutSec, cut: lost, cutRatio: share },
      advice: {
        en: 'Raise the timeout well above the slowest answer, or report failures beside percentiles of all requests.',
        zh: '将超时提高到远大于最慢回答，或将失败率与所有请求的百分位一起报告。',
      },
    };
  },
};
