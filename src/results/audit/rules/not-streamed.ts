import type { PointRule } from '../rule.ts';

/** Without a stream there is no first token to time. */
export const notStreamed: PointRule = {
  code: 'not-streamed',
  severities: ['info'],
  meaning: {
    en: 'Answers came in one piece: time to first token and gaps between tokens cannot be measured, and a "TTFT" equal to the latency is not one.',
    zh: '响应一次性返回：无法测量首 token 时间和 token 间隔；等于总延迟的 "TTFT" 不是真正的 TTFT。',
  },
  taughtBy:
    'evalscope-perf never streams, so its blocks print an average time to first token equal to the average latency.',
  check(point) {
    if (point.load.stream !== false || point.counts.ok === 0) return null;
    const sold = point.printed['ttftMs.mean'];
    return {
      severity: 'info',
      message: {
        en: `Not streamed: time to first token and between tokens is not measurable${sold === undefined ? '' : `; the printed "time to first token" ${sold} is the whole latency and is left out`}.`,
        zh: `非流式：无法测量首 token 时间与 token 间隔${sold === undefined ? '' : `；标注的“首 token 时间”${sold} 实为总延迟，已忽略`}。`,
      },
      evidence: { stream: false, printedTtft: sold ?? null },
      advice: {
        en: 'Stream the answers to see TTFT and TPOT.',
        zh: '使用流式响应以观测 TTFT 与 TPOT。',
      },
    };
  },
};
