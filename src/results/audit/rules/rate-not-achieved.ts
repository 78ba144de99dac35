import type { Summary } from '../../../core/index.ts';
import type { AuditContext, PointRule } from '../rule.ts';
import { percent, show } from '../wording.ts';

const enoughShare = 0.99;

/** An open loop that sent fewer requests per second than asked. */
export const rateNotAchieved: PointRule = {
  code: 'rate-not-achieved',
  severities: ['warn'],
  meaning: {
    en: 'The server was offered less than the label says, so its times look better than they would at that rate.',
    zh: '实际施加的速率低于标注，因此测得的时间比该速率下的真实值更好看。',
  },
  taughtBy:
    'evalscope issue 1366: a target of 1,200 requests a minute drifted down to about 900 in half an hour and the report did not say so.',
  check(point, context) {
    const asked = point.load.ratePerSec;
    if (point.load.kind !== 'open' || asked === null || asked <= 0 || point.partial) return null;
    // A rate of conversations says nothing about requests.
    if (context.plan?.load.sessions === true) return null;
    const share = achievedShare(point, context, asked);
    if (share === null || share >= enoughShare) return null;
    const capped = point.load.concurrency !== null;
    return {
      severity: 'warn',
      message: {
        en: `About ${show(share * asked)} requests a second were sent of ${show(asked)} asked (${percent(share)})${capped ? `: the cap of ${point.load.concurrency} in flight held them back` : ''}.`,
        zh: `要求每秒 ${show(asked)} 个请求，实际约 ${show(share * asked)}（${percent(share)}）${capped ? `：受在途上限 ${point.load.concurrency} 限制` : ''}。`,
      },
      evidence: {
        ratePerSecAsked: asked,
        ratePerSecAchieved: share * asked,
        dropped: point.counts.dropped,
        cap: point.load.concurrency,
      },
      advice: {
        en: capped
          ? 'The rate is above what the server sustains under this cap: read the latencies from the due time, or lower the rate.'
          : 'Use more client threads or machines, or lower the rate.',
        zh: capped
          ? '该速率超过服务器在此上限下的承载能力：请查看从到期时刻起算的延迟，或降低速率。'
          : '增加客户端线程或机器，或降低速率。',
      },
    };
  },
};

/**
 * Sends against due times, so that the chance in a Poisson schedule is not mistaken for slowness: asks span
 * planned/rate seconds by plan, and stretched by how late the last ones left.
 */
function achievedShare(point: Summary, context: AuditContext, asked: number): number | null {
  if (context.sendsPerSec !== undefined && context.sendsPerSec !== null) return context.sendsPerSec / asked;
  const { planned, issued } = point.counts;
  const lateMs = point.latenessMs?.p99 ?? null;
  if (planned === 0 || lateMs === null) return null;
  const spanMs = (planned / asked) * 1000;
  return (issued / planned) * (spanMs / (spanMs + lateMs));
}
