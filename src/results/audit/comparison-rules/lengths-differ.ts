import { known } from '../printed-room.ts';
import type { ComparisonRule } from '../rule.ts';
import { percent, show } from '../wording.ts';

const limit = 0.05;

/** The two generated or read different lengths. */
export const lengthsDiffer: ComparisonRule = {
  code: 'lengths-differ',
  severities: ['warn'],
  meaning: {
    en: 'Mean prompt or answer lengths differ by more than 5 %: requests per second and latency then compare the work, not the server.',
    zh: '平均输入或输出长度相差超过 5%：QPS 与延迟比较的是工作量而不是服务器。',
  },
  taughtBy:
    'MindIE on QwQ-32B generates 441 tokens per answer with one backend and 482 with another; requests per second favour the shorter.',
  check(baseline, other) {
    for (const name of ['outputTokens', 'inputTokens'] as const) {
      const [a, b] = [baseline.summary[name]?.mean, other.summary[name]?.mean];
      if (!known(a) || !known(b) || a === 0 || Math.abs(b / a - 1) <= limit) continue;
      const words = name === 'outputTokens' ? { en: 'answers', zh: '输出' } : { en: 'prompts', zh: '输入' };
      return {
        severity: 'warn',
        message: {
          en: `${words.en} have ${show(a)} tokens on one side and ${show(b)} on the other (${percent(Math.abs(b / a - 1))} apart).`,
          zh: `${words.zh}长度一方为 ${show(a)} token，另一方为 ${show(b)}（相差 ${percent(Math.abs(b / a - 1))}）。`,
        },
        evidence: { what: name, baseline: a, candidate: b },
        advice: {
          en: 'Compare tokens per second and time per token, or fix the lengths (ignore_eos, max_tokens).',
          zh: '请比较 token 速率与每 token 时间，或固定长度（ignore_eos、max_tokens）。',
        },
      };
    }
    return null;
  },
};
