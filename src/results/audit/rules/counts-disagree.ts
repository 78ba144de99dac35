import { known } from '../printed-room.ts';
import type { PointRule } from '../rule.ts';

/** The counts of a source contradict each other. */
export const countsDisagree: PointRule = {
  code: 'counts-disagree',
  severities: ['invalid'],
  meaning: {
    en: 'Total must be succeeded + failed, and no more can end than were expected.',
    zh: '总数应等于成功 + 失败，且结束的请求不能多于预期。',
  },
  taughtBy:
    'evalscope prints expected, total, succeeded and failed: a row whose sums do not agree lost a digit or a request.',
  check(point) {
    const { ok, failed } = point.counts;
    const ended = Number(point.printed['counts.ended'] ?? NaN);
    const planned = Number(point.printed['counts.planned'] ?? NaN);
    if (!known(ok) || !known(failed)) return null;
    const sum = ok + failed + (known(point.counts.cancelled) ? point.counts.cancelled : 0);
    const wrongTotal = known(ended) && ended !== sum;
    const wrongPlan = known(planned) && planned < sum;
    if (!wrongTotal && !wrongPlan) return null;
    return {
      severity: 'invalid',
      message: {
        en: `Succeeded ${ok} + failed ${failed} = ${sum}, but ${wrongTotal ? `${ended} ended` : `only ${planned} were expected`}.`,
        zh: `成功 ${ok} + 失败 ${failed} = ${sum}，但${wrongTotal ? `总数为 ${ended}` : `预期只有 ${planned}`}。`,
      },
      evidence: { ok, failed, ended: known(ended) ? ended : null, planned: known(planned) ? planned : null },
      advice: { en: 'Look the counts up in the original log.', zh: '请在原始日志中核对计数。' },
    };
  },
};
