import type { PointRule } from '../rule.ts';
import { percent } from '../wording.ts';

/** Answers of tokens that have no text of their own. */
export const textlessAnswers: PointRule = {
  code: 'textless-answers',
  severities: ['info'],
  meaning: {
    en: 'Some answers hold tokens by the usage of the server, and not a character: special tokens, or halves of UTF-8. They are answers, and their tokens count.',
    zh: '部分回答按服务器 usage 含有 token，却没有任何字符：特殊 token 或不完整的 UTF-8。它们仍是回答，其 token 计入统计。',
  },
  taughtBy:
    'vLLM with random weights: usage 40, finish reason "length", no text; counted as empty-answer, one such request of 192 ended a tune as "not confirmed".',
  check({ textlessAnswers: count, counts }) {
    if (count === undefined || count === 0) return null;
    return {
      severity: 'info',
      message: {
        en: `${count} of ${counts.ok} answers (${percent(count / Math.max(1, counts.ok))}) have tokens and no text.`,
        zh: `${counts.ok} 个回答中有 ${count} 个（${percent(count / Math.max(1, counts.ok))}）有 token 但没有文本。`,
      },
      evidence: { textlessAnswers: count, ok: counts.ok },
      advice: {
        en: 'With a real model that is rare: look at what it answered, at its chat template and at its stop tokens.',
        zh: '真实模型很少如此：请检查其回答、对话模板与停止 token。',
      },
    };
  },
};
