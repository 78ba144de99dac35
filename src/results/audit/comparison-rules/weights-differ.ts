import type { Summary } from '../../../core/index.ts';
import type { ComparisonRule } from '../rule.ts';
import { percent, show } from '../wording.ts';

/** Characters a prompt token that differ by more than this are another work for the server's tokeniser. */
const limit = 0.15;

/** The prompts of the two weigh differently, token for token. */
export const weightsDiffer: ComparisonRule = {
  code: 'weights-differ',
  severities: ['warn'],
  meaning: {
    en: 'Prompts have more characters per token on one side. A server tokenises by the byte, one prompt after the other, so first tokens come later there whatever the engine does.',
    zh: '一方的提示词每 token 字符数更多。服务器按字节、逐个提示词分词，因此无论引擎如何，该方首 token 都更晚。',
  },
  taughtBy:
    "512 random tokens were 4.7 kB of text with llmdyno and 2.8 kB with vLLM's random data set under the same tokenizer: TTFT differed by the tool.",
  check({ summary: baseline }, { summary: other }) {
    const [a, b] = [weightOf(baseline), weightOf(other)];
    if (a === null || b === null || Math.abs(b / a - 1) <= limit) return null;
    return {
      severity: 'warn',
      message: {
        en: `prompts have ${show(a)} characters a token on one side and ${show(b)} on the other (${percent(Math.abs(b / a - 1))} apart).`,
        zh: `提示词每 token 的字符数一方为 ${show(a)}，另一方为 ${show(b)}（相差 ${percent(Math.abs(b / a - 1))}）。`,
      },
      evidence: { baseline: a, candidate: b },
      advice: {
        en: 'Ask both the same kind of prompts; compare the time per token, which does not depend on it.',
        zh: '双方使用同类提示词；或比较与此无关的每 token 时间。',
      },
    };
  },
};

function weightOf({ inputCharsPerSec, inputTokensPerSec }: Summary): number | null {
  if (inputCharsPerSec === null || inputTokensPerSec === null || !(inputTokensPerSec > 0)) return null;
  return inputCharsPerSec > 0 ? inputCharsPerSec / inputTokensPerSec : null;
}
