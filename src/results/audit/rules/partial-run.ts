import type { PointRule } from '../rule.ts';
import { percent } from '../wording.ts';

/** The run was stopped before its plan was done. */
export const partialRun: PointRule = {
  code: 'partial-run',
  severities: ['warn'],
  meaning: {
    en: 'The run stopped early (interrupted, or by a stop rule): figures hold for what was sent, not for the plan.',
    zh: '运行提前结束（被中断或触发停止规则）：结果仅适用于已发送的请求，而非整个计划。',
  },
  taughtBy:
    'evalscope on Ctrl-C prints no summary and rolls back up to 1,000 records; here the part that was measured is kept and labelled.',
  check(point, context) {
    if (!point.partial && context.interrupted !== true) return null;
    const { planned, cancelled, byProblem } = point.counts;
    const notSent = byProblem['not-sent'] ?? 0;
    const { stoppedBecause: why } = point;
    const because =
      why === undefined
        ? { en: '', zh: '' }
        : { en: ` by --stop-when '${why.rule}' (${why.message})`, zh: `（--stop-when '${why.rule}'：${why.zh}）` };
    return {
      severity: 'warn',
      message: {
        en: `The run was stopped early${because.en}: ${notSent} of ${planned} planned requests were not sent${planned > 0 ? ` (${percent(notSent / planned)})` : ''}, ${cancelled - notSent} were cancelled in flight.`,
        zh: `运行提前结束${because.zh}：计划 ${planned} 个请求中有 ${notSent} 个未发送${planned > 0 ? `（${percent(notSent / planned)}）` : ''}，${cancelled - notSent} 个在途被取消。`,
      },
      evidence: { planned, notSent, cancelled, ...(why !== undefined && { rule: why.rule, ...why.evidence }) },
      advice: {
        en: 'Use the figures for what they cover, or run the plan again to its end.',
        zh: '结果仅代表已完成部分；需要完整结果请重新运行该计划。',
      },
    };
  },
};
