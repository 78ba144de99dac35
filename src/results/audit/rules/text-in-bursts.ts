import type { Distribution } from '../../../core/index.ts';
import { known } from '../printed-room.ts';
import type { PointRule } from '../rule.ts';
import { showMs } from '../wording.ts';

/** Half of the gaps are this much shorter than their mean … */
const shortRatio = 5;
/** … and one in fifty this much longer: waits that come back hold the time, and not one rare stall. */
const longRatio = 1.5;
/** No step of a model is as short as the usual gap then: what is longer may be a step, and a long gap beside it a stall. */
const noStepMs = 5;
/** A busy front of vLLM writes two steps of a few ms at once; several that gather take longer than this. */
const gatheredMs = 20;

/** Text that is held back and comes several steps at once: gaps are nothing, nothing, and then a long one, over and over. */
export function comesInBursts(gaps: Distribution | null): boolean {
  if (gaps === null || !known(gaps.p50) || !known(gaps.p98) || !known(gaps.mean)) return false;
  const long = Math.max(longRatio * gaps.mean, gatheredMs);
  return gaps.p50 < noStepMs && gaps.p50 * shortRatio < gaps.mean && gaps.p98 > long;
}

/** The server lets several steps gather before it sends their text. */
export const textInBursts: PointRule = {
  code: 'text-in-bursts',
  severities: ['warn'],
  meaning: {
    en: 'Half of the gaps between pieces of text are far below the mean, and one in fifty or more is far above it: the server, or something before it, gathers several steps and sends them at once.',
    zh: '一半的文本间隔远小于平均值，而至少五十分之一远大于平均值：服务端（或其前的代理）攒够多个步才一次发送。',
  },
  taughtBy:
    'XInference 4.1.0 with its transformers engine: the text of 16 steps in 8 chunks within 4 ms, then silence for 80 ms; its time to the first token holds all 16 steps.',
  check(point) {
    const gaps = point.itlMs;
    if (gaps === null || !comesInBursts(gaps)) return null;
    return {
      severity: 'warn',
      message: {
        en: `Text comes in bursts: half of the gaps are ${showMs(gaps.p50!)} or less, the longest fiftieth ${showMs(gaps.p98!)} or more. The first token is heard when its burst is whole, and the last burst costs nothing: TTFT, TPOT and ITL tell the bursts.`,
        zh: `文本成批到达：一半的间隔不超过 ${showMs(gaps.p50!)}，最长的五十分之一不低于 ${showMs(gaps.p98!)}。首 token 要等其所在批次攒满才能收到，最后一批又几乎不花时间：TTFT、TPOT 与 ITL 反映的是批次。`,
      },
      evidence: { itlP50Ms: gaps.p50, itlP98Ms: gaps.p98, itlMeanMs: gaps.mean },
      advice: {
        en: 'Compare it with other servers by throughput and by whole answers. XInference (transformers) does so by itself; elsewhere look for a proxy that buffers.',
        zh: '与其他服务比较时请看吞吐与完整响应时间。XInference（transformers 引擎）本身如此；其他情况请检查是否有缓冲的代理。',
      },
    };
  },
};
