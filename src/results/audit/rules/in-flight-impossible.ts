import { inFlightOf } from '../in-flight.ts';
import type { PointRule } from '../rule.ts';
import { percent, show } from '../wording.ts';
import { isStuck, trueDurationMs } from './stuck-request.ts';

const slack = 0.02;

/** More requests in flight than the client was allowed to send. */
export const inFlightImpossible: PointRule = {
  code: 'in-flight-impossible',
  severities: ['invalid'],
  meaning: {
    en: 'Succeeded × latency / duration exceeds the concurrency of a closed loop, which cannot be: a latency, a duration or a count is wrong.',
    zh: '成功数 × 延迟 / 用时超过了闭环并发，这不可能发生：延迟、用时或计数有误。',
  },
  taughtBy: 'No published row does it; a digit lost on the way (3.213 s copied as 32.13 s) does.',
  check(point) {
    const inFlight = inFlightOf(point, isStuck(point) ? trueDurationMs(point) : point.durationMs);
    if (inFlight === null || inFlight.share <= 1 + slack + inFlight.room) return null;
    return {
      severity: 'invalid',
      message: {
        en: `${show(inFlight.held)} requests in flight at a concurrency of ${inFlight.asked} (${percent(inFlight.share)}) cannot be.`,
        zh: `并发 ${inFlight.asked} 时不可能有 ${show(inFlight.held)} 个在途请求（${percent(inFlight.share)}）。`,
      },
      evidence: { inFlight: inFlight.held, concurrency: inFlight.asked, share: inFlight.share },
      advice: {
        en: 'Look up latency, duration, counts and concurrency in the original log.',
        zh: '请在原始日志中核对延迟、用时、计数与并发。',
      },
    };
  },
};
