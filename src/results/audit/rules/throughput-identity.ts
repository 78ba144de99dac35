import { broken, throughputIdentity } from '../identities.ts';
import type { PointRule } from '../rule.ts';
import { percent, show } from '../wording.ts';
import { isStuck } from './stuck-request.ts';

/** Where requests failed, clients stop the clock a little after the last token; below this nobody can tell. */
const tolerance = 0.005;

/** The printed token rate is not requests times tokens over duration. */
export const throughputIdentityRule: PointRule = {
  code: 'throughput-identity',
  severities: ['invalid'],
  meaning: {
    en: 'Output tokens per second must be succeeded requests × mean output tokens / duration. Where it is not, the figures come from different stretches of time or one is wrong.',
    zh: '输出 token 速率应等于成功请求数 × 平均输出 token 数 / 用时。若不相等，则各数值取自不同时间段或其中之一有误。',
  },
  taughtBy:
    'A published NUMA comparison prints 538.5 tokens/s where 426 requests of 678.6 tokens in 555.9 s give 520.1.',
  check(point) {
    const identity = throughputIdentity(point);
    if (identity === null || isStuck(point) || !broken(identity)) return null;
    const off = identity.said / identity.computed - 1;
    if (point.counts.failed > 0 && Math.abs(off) <= tolerance) return null;
    return {
      severity: 'invalid',
      message: {
        en: `${show(identity.said)} output tokens a second are printed, but requests × tokens / duration give ${show(identity.computed)} (${percent(Math.abs(off))} apart).`,
        zh: `标注输出 ${show(identity.said)} token/s，但请求数 × token 数 / 用时为 ${show(identity.computed)}（相差 ${percent(Math.abs(off))}）。`,
      },
      evidence: {
        said: identity.said,
        computed: identity.computed,
        ok: point.counts.ok,
        meanOutputTokens: point.outputTokens?.mean ?? null,
        durationMs: point.durationMs,
      },
      advice: {
        en: 'Do not use the rates of this point; measure it again or find the original log.',
        zh: '不要使用该点的速率；请重新测量或查找原始日志。',
      },
    };
  },
};
