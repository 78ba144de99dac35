import { known } from '../printed-room.ts';
import type { PointRule } from '../rule.ts';
import { show, showMs } from '../wording.ts';

/** Gap per chunk over time per token from which chunks visibly carry several tokens. */
const ratioLimit = 1.3;

/** Gaps between chunks presented as gaps between tokens. */
export const chunksNotTokens: PointRule = {
  code: 'chunks-not-tokens',
  severities: ['warn'],
  meaning: {
    en: 'The mean inter-token latency is well above (latency − TTFT)/(tokens − 1): chunks carry several tokens and the gaps are per chunk.',
    zh: '平均 token 间延迟明显大于 (延迟 − TTFT)/(token 数 − 1)：每个数据块含多个 token，间隔是按块计算的。',
  },
  taughtBy:
    'vLLM issue 27485 and SGLang issue 12064: with speculative decoding the printed ITL was 8.72 ms where tokens came every 3.2 ms.',
  check(point) {
    if (point.source.tool === 'llmdyno') return null;
    const gap = point.itlMs?.mean ?? null;
    const [latency, ttft, tokens] = [point.latencyMs?.mean, point.ttftMs?.mean, point.outputTokens?.mean];
    const perToken =
      known(latency) && known(ttft) && known(tokens) && tokens > 1
        ? (latency - ttft) / (tokens - 1)
        : (point.tpotMs?.mean ?? null);
    if (!known(gap) || !known(perToken) || perToken <= 0 || gap < ratioLimit * perToken) return null;
    return {
      severity: 'warn',
      message: {
        en: `The gap between chunks (${showMs(gap)}) is ${show(gap / perToken)} times the time per token (${showMs(perToken)}): chunks carry several tokens, so the printed ITL is per chunk.`,
        zh: `数据块间隔（${showMs(gap)}）为每 token 时间（${showMs(perToken)}）的 ${show(gap / perToken)} 倍：每块含多个 token，标注的 ITL 按块计算。`,
      },
      evidence: { itlMs: gap, perTokenMs: perToken, tokensPerChunk: gap / perToken },
      advice: {
        en: 'Compare TPOT, not ITL, with tools that count tokens.',
        zh: '与按 token 统计的工具比较时使用 TPOT 而非 ITL。',
      },
    };
  },
};
