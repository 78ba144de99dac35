import type { PointRule } from '../rule.ts';
import { percent, show } from '../wording.ts';

/** Share of the asked concurrency below which the point is labelled with a load it did not carry. */
const enoughShare = 0.95;
const hopelessShare = 0.8;

/** A closed loop that held fewer requests in flight than asked, in the stretch where the load should have stood. */
export const concurrencyNotReached: PointRule = {
  code: 'concurrency-not-reached',
  severities: ['warn', 'invalid'],
  meaning: {
    en: 'In the steady stretch fewer requests were in flight than the point is labelled with, so it belongs further left on the curve.',
    zh: '稳定阶段的在途请求少于标注的并发，该点应位于曲线更左侧。',
  },
  taughtBy:
    'A published NUMA comparison at "concurrency 100" ran at about 74, 80, 60 and 61 live client slots, each setting at another load.',
  check(point, context) {
    const asked = point.load.concurrency;
    const achieved = point.steady?.concurrencyAchieved ?? null;
    if (point.load.kind !== 'closed' || asked === null || achieved === null) return null;
    if (achieved >= enoughShare * asked) return null;
    // A user who thinks keeps the slot and has nothing in flight.
    if (context.plan?.dataset.settings?.['think'] !== undefined) return null;
    const tooFew = point.counts.planned < asked;
    return {
      severity: achieved < hopelessShare * asked ? 'invalid' : 'warn',
      message: {
        en: `Only ${show(achieved)} requests were in flight of ${asked} asked (${percent(achieved / asked)})${tooFew ? `: the run has only ${point.counts.planned} requests` : ''}.`,
        zh: `要求并发 ${asked}，实际在途仅 ${show(achieved)}（${percent(achieved / asked)}）${tooFew ? `：总请求数只有 ${point.counts.planned}` : ''}。`,
      },
      evidence: { concurrencyAsked: asked, concurrencyAchieved: achieved, planned: point.counts.planned },
      advice: {
        en: tooFew
          ? 'Ask for at least ten times as many requests as the concurrency.'
          : 'Look at failures and client health first: slots that wait to reconnect or a busy client hold less load. Label the point with what was reached.',
        zh: tooFew
          ? '请求数至少应为并发数的十倍。'
          : '先检查失败与客户端状态：等待重连的并发位或繁忙的客户端会降低负载。请以实际达到的并发标注该点。',
      },
    };
  },
};
