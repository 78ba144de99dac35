import { problems } from '../../../core/index.ts';
import { known } from '../printed-room.ts';
import type { Doubt, PointRule } from '../rule.ts';
import { topProblems } from './failures.ts';

/** No request succeeded: there is nothing to measure. */
export const nothingOk: PointRule = {
  code: 'nothing-ok',
  severities: ['invalid'],
  meaning: {
    en: 'No request succeeded, so every rate is 0 or unknown and no time was measured.',
    zh: '没有任何请求成功，所有速率为 0 或未知，没有测得任何时间。',
  },
  taughtBy:
    'evalscope-perf draws a crashed level as 0 QPS beside real ones; published charts carry such points as if measured.',
  check(point) {
    const { counts } = point;
    if (!known(counts.planned) || !known(counts.ok) || counts.ok > 0) return null;
    if (counts.planned === 0 && !point.partial) return null;
    // Stopped before any request could end: that nothing was measured says nothing about the server.
    if (counts.failed === 0 && counts.cancelled === counts.planned) return stopped(counts.planned);
    const top = topProblems(counts)[0];
    const cause = top === undefined ? null : problems[top.code];
    return {
      severity: 'invalid',
      message: {
        en: `${counts.planned === 1 ? 'The one request did not succeed' : `None of ${counts.planned} requests succeeded`}${cause ? `; most often: ${cause.en}` : ''}.`,
        zh: `${counts.planned} 个请求全部未成功${cause ? `；最常见原因：${cause.zh}` : ''}。`,
      },
      evidence: { planned: counts.planned, ok: counts.ok, topProblem: top?.code ?? null },
      advice: {
        en: 'Send one request by hand (curl) and mend what it says before loading the server.',
        zh: '先用 curl 手工发送一个请求，解决报错后再压测。',
      },
    };
  },
};

function stopped(planned: number): Doubt {
  return {
    severity: 'invalid',
    message: {
      en: 'The run was stopped before any request had ended: nothing was measured.',
      zh: '运行在任何请求结束之前被停止：没有测得任何数据。',
    },
    evidence: { planned, ok: 0, topProblem: null },
    advice: {
      en: 'Run it again, or go on with it: --resume.',
      zh: '请重新运行，或用 --resume 继续。',
    },
  };
}
