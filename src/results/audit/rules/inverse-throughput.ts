import { known } from '../printed-room.ts';
import type { PointRule } from '../rule.ts';
import { show } from '../wording.ts';

/** A "time per output token" that is wall clock over all tokens of all requests. */
export const inverseThroughput: PointRule = {
  code: 'inverse-throughput',
  severities: ['info'],
  meaning: {
    en: 'The printed time per output token is 1/throughput: it falls as concurrency rises and is no time that any request saw.',
    zh: '标注的每 token 时间为 1/吞吐量：随并发升高而下降，不是任何请求经历的时间。',
  },
  taughtBy:
    'evalscope 0.5: "Average time per output token: 0.00247" is 1/404.683, while each request waited 0.24 s per token.',
  check(point) {
    const digits = point.printed['tpotMs.mean'];
    if (point.tpotMs !== null || digits === undefined || Number(digits) === 0 || !known(point.outputTokensPerSec))
      return null;
    return {
      severity: 'info',
      message: {
        en: `"Time per output token ${digits}" is 1/${show(point.outputTokensPerSec)} tokens per second, not a time per token of a request; it is left out.`,
        zh: `“每 token 时间 ${digits}”等于 1/${show(point.outputTokensPerSec)} token/s，不是单个请求的每 token 时间，已忽略。`,
      },
      evidence: { printed: digits, outputTokensPerSec: point.outputTokensPerSec },
      advice: { en: 'Stream the answers to measure TPOT.', zh: '使用流式响应测量 TPOT。' },
    };
  },
};
