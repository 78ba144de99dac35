import { inFlightOf } from '../in-flight.ts';
import { known } from '../printed-room.ts';
import type { PointRule } from '../rule.ts';
import { show } from '../wording.ts';

/** Requests vanished together with the client slots that sent them. */
export const lostClientWorkers: PointRule = {
  code: 'lost-client-workers',
  severities: ['invalid'],
  meaning: {
    en: 'In evalscope 0.5 a worker whose first request times out dies without a word: its request appears in no counter and its slot stays empty for the rest of the run. What looks like a collapsing server is a shrinking load.',
    zh: 'evalscope 0.5 中，首个请求超时的工作协程会静默退出：其请求不计入任何计数，其并发位在之后一直空缺。看似服务器崩溃，其实是负载在缩小。',
  },
  taughtBy:
    'Qwen2-72B long prompts at 30, 40 and 50: 3, 13 and 22 requests vanished; "Expected 1000, Total 988, concurrency 128" ran with at most 116 live slots.',
  check(point) {
    const { unaccounted } = point.counts;
    const asked = point.load.concurrency;
    if (point.source.tool !== 'evalscope' || !(unaccounted > 0) || !known(asked)) return null;
    const inFlight = inFlightOf(point);
    if (inFlight === null || inFlight.share >= 1 - asked / (2 * point.counts.planned)) return null;
    const live = Math.max(0, asked - unaccounted);
    return {
      severity: 'invalid',
      message: {
        en: `${unaccounted} requests vanished and ${show(inFlight.held)} were in flight at "concurrency ${asked}": each lost request took a client slot with it, so at most ${live} slots were left.`,
        zh: `${unaccounted} 个请求消失，“并发 ${asked}”下在途仅 ${show(inFlight.held)}：每个丢失的请求都带走一个并发位，最多剩 ${live} 个。`,
      },
      evidence: { unaccounted, concurrency: asked, liveSlots: live, inFlight: inFlight.held },
      advice: {
        en: 'Measure again with a client that keeps its slots (dyno run), and a timeout above the slowest answer.',
        zh: '使用不会丢失并发位的客户端（dyno run）并将超时设为大于最慢回答后重新测量。',
      },
    };
  },
};
