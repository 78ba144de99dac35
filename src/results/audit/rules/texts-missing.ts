import { known } from '../printed-room.ts';
import type { PointRule } from '../rule.ts';
import { serverFigure } from '../server-figure.ts';

/** Fewer requests are counted than texts were offered. */
export const textsMissing: PointRule = {
  code: 'texts-missing',
  severities: ['warn'],
  meaning: {
    en: 'The log names more texts than requests with an answer and says nothing of the rest; if they were refused, the point describes the ones that fitted.',
    zh: '日志中的文本数多于有回答的请求数，且未说明其余部分；若其余被拒绝，则该点只反映可处理的部分。',
  },
  taughtBy: 'The V100 chunk test offers 500 texts and counts 143 requests at chunk size 4000, 330 at 2000.',
  check(point) {
    const offered = serverFigure(point, 'textsOffered');
    const { ok } = point.counts;
    if (offered === null || !known(ok) || ok >= offered) return null;
    return {
      severity: 'warn',
      message: {
        en: `${offered} texts were offered and ${ok} requests are counted; the log does not say what became of ${offered - ok}.`,
        zh: `提供了 ${offered} 段文本，只统计到 ${ok} 个请求；日志未说明其余 ${offered - ok} 个的去向。`,
      },
      evidence: { offered, counted: ok },
      advice: {
        en: 'Find out whether the rest failed or was never sent before using the rates.',
        zh: '使用速率前请确认其余请求是失败还是未发送。',
      },
    };
  },
};
