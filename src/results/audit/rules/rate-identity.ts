import { broken, rateIdentity, sharesClock } from '../identities.ts';
import type { PointRule } from '../rule.ts';
import { show } from '../wording.ts';

/** What another clock may explain. */
const clockSlack = 0.05;

/** The printed request rate is not succeeded requests over duration. */
export const rateIdentityRule: PointRule = {
  code: 'rate-identity',
  severities: ['warn', 'invalid'],
  meaning: {
    en: 'Requests per second must be succeeded requests over duration. Where it is not, one of the three was printed or copied wrongly.',
    zh: '每秒请求数应等于成功请求数除以用时。若不相等，三者之一有误。',
  },
  taughtBy:
    'In all published evalscope rows QPS equals succeeded/duration to the last printed digit, so a row where it does not was damaged on the way.',
  check(point) {
    const identity = rateIdentity(point);
    if (identity === null || !broken(identity)) return null;
    const off = Math.abs(identity.said / identity.computed - 1);
    const sliced = !sharesClock(point);
    if (sliced && off < clockSlack) return null;
    return {
      severity: sliced ? 'warn' : 'invalid',
      message: {
        en: `${show(identity.said)} requests a second are printed, but succeeded requests over duration give ${show(identity.computed)}.`,
        zh: `标注每秒 ${show(identity.said)} 个请求，但成功请求数除以用时为 ${show(identity.computed)}。`,
      },
      evidence: { said: identity.said, computed: identity.computed, ok: point.counts.ok, durationMs: point.durationMs },
      advice: {
        en: 'Look the three figures up in the original log; one of them is not what was measured.',
        zh: '请在原始日志中核对这三个数值，其中之一不是实测值。',
      },
    };
  },
};
