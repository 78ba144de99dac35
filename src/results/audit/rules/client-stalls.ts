import type { PointRule } from '../rule.ts';
import { showMs } from '../wording.ts';
import { delayLimitMs, harmfulDelay } from './client-bound.ts';

/** The client stalled now and then in a run too small to have tails of its own. */
export const clientStalls: PointRule = {
  code: 'client-stalls',
  severities: ['warn'],
  meaning: {
    en: 'One tick in a hundred of the client came later than it should. In a run of fewer than 1,000 requests means and medians do not show it, but the slowest requests may be slow because of the client.',
    zh: '客户端事件循环有百分之一的时刻明显滞后。请求少于 1,000 个时均值与中位数不受影响，但最慢的请求可能是客户端造成的。',
  },
  taughtBy:
    'A grid of 25 cells with 8 requests each on a two-core host under a load average of 11: in one cell the p99 of the loop delay was 21.7 ms beside a median TTFT of 93 ms and latencies of 2.6 s.',
  check(point) {
    const { client } = point;
    const limitMs = delayLimitMs(point);
    const delayMs = client?.loopDelayP99Ms ?? null;
    if (client === null || limitMs === null || delayMs === null || delayMs <= limitMs) return null;
    const harmful = harmfulDelay(point, client).delayMs;
    if (harmful === null || harmful > limitMs) return null;
    return {
      severity: 'warn',
      message: {
        en: `The client's event loop ran ${showMs(delayMs)} late one time in a hundred: do not read the slowest requests as the server's.`,
        zh: `客户端事件循环有百分之一的时刻滞后 ${showMs(delayMs)}：最慢的请求不一定是服务器造成的。`,
      },
      evidence: { loopDelayP99Ms: delayMs, limitMs },
      advice: {
        en: 'Keep other work off this host, or send more requests and look at the p99 again.',
        zh: '避免在本机运行其他任务，或增加请求数后再看 p99。',
      },
    };
  },
};
