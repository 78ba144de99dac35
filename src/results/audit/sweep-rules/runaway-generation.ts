import type { Summary } from '../../../core/index.ts';
import { inFlightOf } from '../in-flight.ts';
import { known } from '../printed-room.ts';
import type { Doubt, NeighbourRule } from '../rule.ts';
import { percent, show, showMs } from '../wording.ts';

/** Jump of mean output tokens against the other points of the sweep. */
const jump = 0.015;
/** The extra tokens must be worth this many ordinary answers to be one runaway. */
const ordinaryAnswers = 5;

/** One answer ran on alone long after the others were done. */
export const runawayGeneration: NeighbourRule = {
  code: 'runaway-generation',
  severities: ['invalid'],
  meaning: {
    en: 'Mean output tokens jump in one point of a sweep over the same prompts and few requests were in flight: one answer did not stop, and the clock ran on for it alone.',
    zh: '在相同提示词的扫描中，某一点的平均输出 token 数突增且在途请求很少：有一个回答没有停止，计时为它单独继续。',
  },
  taughtBy:
    'Qwen1.5-14B at 32 and 128: 231.6 and 231.8 tokens per answer where the other points have 224, all requests succeeded, and 57 % and 33 % of the slots were filled.',
  check(points, index) {
    const point = points[index]!;
    const alone = loneAnswer(point);
    if (alone !== null) return alone;
    const tokens = point.outputTokens?.mean ?? null;
    const usual = usualTokens(points, index);
    const inFlight = inFlightOf(point);
    if (!known(tokens) || usual === null || inFlight === null || !known(point.counts.ok)) return null;
    const extra = (tokens - usual) * point.counts.ok;
    const idle = inFlight.lowest !== null && inFlight.share < inFlight.lowest && !inFlight.longDrain;
    if (!idle || tokens < usual * (1 + jump) || extra < ordinaryAnswers * usual) return null;
    return {
      severity: 'invalid',
      message: {
        en: `Answers have ${show(tokens)} tokens on average where the other points have ${show(usual)}: about ${show(extra)} tokens too many, most likely one answer that did not stop. The clock ran on for it with ${percent(inFlight.share)} of the slots filled.`,
        zh: `平均输出 ${show(tokens)} 个 token，其他点为 ${show(usual)}：多出约 ${show(extra)} 个，很可能有一个回答没有停止。计时为它继续，平均只有 ${percent(inFlight.share)} 的并发位被占用。`,
      },
      evidence: {
        meanOutputTokens: tokens,
        usualOutputTokens: usual,
        extraTokens: extra,
        inFlight: inFlight.held,
        concurrency: inFlight.asked,
      },
      advice: {
        en: 'Set max_tokens, and measure the point again; its rates cannot be repaired from the log.',
        zh: '设置 max_tokens 并重新测量该点；其速率无法由日志修正。',
      },
    };
  },
};

/** The longest answer beside the p99, and how long the clock ran for it after the last send, beside the p99 of latency. */
const longestRatio = 4;
const tailRatio = 2;

/** Where the longest answer and the end of sending are known, one point is enough to tell. */
function loneAnswer(point: Summary): Doubt | null {
  const [longest, usual] = [point.outputTokens?.max ?? null, point.outputTokens?.p99 ?? null];
  const slow = point.latencyMs?.p99 ?? null;
  if (!known(longest) || !known(usual) || !known(slow) || !known(point.durationMs) || point.steady === null)
    return null;
  const tailMs = point.durationMs - point.steady.toMs;
  if (point.load.kind !== 'closed' || longest < longestRatio * usual || tailMs < tailRatio * slow) return null;
  return {
    severity: 'invalid',
    message: {
      en: `One answer has ${show(longest)} tokens where 99 in 100 have at most ${show(usual)}; after the last request was sent the clock ran on for ${showMs(tailMs)}, mostly for it alone.`,
      zh: `有一个回答长达 ${show(longest)} 个 token，而 99% 的回答不超过 ${show(usual)}；最后一个请求发出后计时又运行了 ${showMs(tailMs)}，基本只为它一个。`,
    },
    evidence: { longestTokens: longest, p99Tokens: usual, tailMs, durationMs: point.durationMs },
    advice: {
      en: 'Set max_tokens, and measure the point again, or read the steady stretch.',
      zh: '设置 max_tokens 并重新测量该点，或只看稳定阶段的结果。',
    },
  };
}

/** Median of the other points' mean output tokens; null with fewer than three of them. */
function usualTokens(points: readonly Summary[], index: number): number | null {
  const others = points
    .filter((_, i) => i !== index)
    .flatMap((point) => (known(point.outputTokens?.mean) ? [point.outputTokens!.mean!] : []))
    .toSorted((a, b) => a - b);
  return others.length < 3 ? null : others[Math.floor((others.length - 1) / 2)]!;
}
