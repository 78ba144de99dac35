import type { Summary } from '../../../core/index.ts';
import { limitOf } from '../limits.ts';
import type { PointRule } from '../rule.ts';
import { percent, show } from '../wording.ts';

/** The process that answers HTTP was full, or nearly. */
export const frontBound: PointRule = {
  code: 'front-bound',
  severities: ['info', 'warn'],
  meaning: {
    en: "The server's front (the process that tokenises prompts and writes answers) took nearly a whole core in a busy second: from 0.8 it may limit, from 0.95 it does. It lags before its average is full, returns places late, and the accelerator waits: such a point says nothing about the hardware's limit.",
    zh: '服务器前端（负责分词与写回答的进程）在繁忙的一秒内几乎占满一个核：达到 0.8 可能成为瓶颈，达到 0.95 即为瓶颈。它在平均值占满之前就会滞后、延迟归还位置，使加速卡空等：此类测试点不能说明硬件极限。',
  },
  taughtBy:
    'vLLM 0.25 on an H200, 128 → 512 tokens at 256 in flight: its one API server process took 0.88 to 1.0 of a core (some 50 µs a token), answers ended 1.5 s after the engine had made their last token, and the GPU waited.',
  check(point, context) {
    const front = frontOf(point);
    if (front === null || front.busiestRatio < limitOf(context, 'front-busy')) return null;
    const full = front.busiestRatio >= limitOf(context, 'front-full');
    const cost = front.usPerToken === null ? { en: '', zh: '' } : costWords(front.usPerToken);
    const share = percent(front.busiestRatio);
    return {
      severity: full ? 'warn' : 'info',
      message: {
        en: `The server's front ${full ? 'was the limit' : 'may be the limit'}: in its busiest second it took ${share} of a core (${percent(front.meanRatio)} on average${cost.en}). It lags before it is full, and the accelerator waits for it.`,
        zh: `服务器前端${full ? '是瓶颈' : '可能是瓶颈'}：最繁忙的一秒占用 ${share} 个核（平均 ${percent(front.meanRatio)}${cost.zh}）。它在占满之前就会滞后，加速卡会等待它。`,
      },
      evidence: { ...front },
      advice: {
        en: 'Give it more processes (vLLM: --api-server-count), fewer and larger chunks (vLLM: --stream-interval), or a faster core of its own; do not read this point as the limit of the hardware.',
        zh: '增加前端进程（vLLM：--api-server-count）、减少并加大分块（vLLM：--stream-interval），或为其独占更快的核；不要把此点当作硬件极限。',
      },
    };
  },
};

interface Front {
  processes: number;
  busiestRatio: number;
  meanRatio: number;
  usPerToken: number | null;
}

function frontOf({ server }: Summary): Front | null {
  const told = server?.['front'] as Partial<Front> | null | undefined;
  const { processes, busiestRatio, meanRatio, usPerToken = null } = told ?? {};
  if (typeof processes !== 'number' || typeof busiestRatio !== 'number' || typeof meanRatio !== 'number') return null;
  return { processes, busiestRatio, meanRatio, usPerToken: typeof usPerToken === 'number' ? usPerToken : null };
}

function costWords(usPerToken: number): { en: string; zh: string } {
  return { en: `, ${show(usPerToken)} µs a token`, zh: `，每 token ${show(usPerToken)} µs` };
}
