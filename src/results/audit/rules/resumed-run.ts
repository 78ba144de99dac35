import type { PointRule } from '../rule.ts';

/** The run was interrupted and went on later. */
export const resumedRun: PointRule = {
  code: 'resumed-run',
  severities: ['info'],
  meaning: {
    en: 'The run was interrupted and went on with --resume: figures are over all parts without the time between them, and the server may have been cold or changed in between.',
    zh: '运行曾中断并用 --resume 继续：结果覆盖各段、不含中断时间；期间服务器可能冷却或发生变化。',
  },
  taughtBy: 'A night run that a reboot cut in two: adding both parts with the gap inside halves the throughput.',
  check({ resumed }) {
    if (resumed === undefined || resumed.length === 0) return null;
    const gapSec = resumed.reduce((sum, { gapMs }) => sum + gapMs, 0) / 1000;
    return {
      severity: 'info',
      message: {
        en: `The run was resumed ${resumed.length === 1 ? 'once' : `${resumed.length} times`}; ${gapSec.toFixed(0)} s lay between its parts and are in no figure. It did not warm up again.`,
        zh: `运行被继续 ${resumed.length} 次；各段之间共 ${gapSec.toFixed(0)} 秒，不计入任何结果；继续时未再预热。`,
      },
      evidence: { times: resumed.length, gapSec: Math.round(gapSec), lastAt: resumed.at(-1)!.at },
      advice: {
        en: 'Look at the figures around the break (dyno report RUN --as html) before comparing with a run in one piece.',
        zh: '与未中断的运行比较前，请查看中断前后的数据（dyno report RUN --as html）。',
      },
    };
  },
};
