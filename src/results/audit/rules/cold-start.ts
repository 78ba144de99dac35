import { known } from '../printed-room.ts';
import type { PointRule } from '../rule.ts';
import { show, showMs } from '../wording.ts';

/** The slowest first token beside what nine in ten took at most, and the slowest answer likewise. */
const firstTokenRatio = 10;
const answerRatio = 2;
/** Quicker than this is a hiccup, not a start. */
const leastMs = 1000;

/** A few requests at the start met an engine that was still warming up. */
export const coldStart: PointRule = {
  code: 'cold-start',
  severities: ['info'],
  meaning: {
    en: 'The slowest first tokens took more than ten times as long as nine in ten did, and the slowest answers more than twice as long: most likely the first requests met an engine that was still compiling, capturing graphs or loading.',
    zh: '最慢的首 token 用时超过九成请求的十倍，最慢的回答超过两倍：很可能最初的请求遇到了仍在编译、捕获图或加载的引擎。',
  },
  taughtBy:
    'Graph capture and kernel compilation on first use make the first wave of a run minutes slower; means and p99 carry it, the median does not.',
  check(point) {
    const [first, usual] = [point.ttftMs?.max ?? null, point.ttftMs?.p90 ?? null];
    const [slowest, most] = [point.latencyMs?.max ?? null, point.latencyMs?.p90 ?? null];
    if (!known(first) || !known(usual) || !known(slowest) || !known(most)) return null;
    // A server that fell silent on the way explains the slowest better than its start.
    if (point.silences?.some(({ back }) => back) === true) return null;
    if (first < leastMs || first < firstTokenRatio * usual || slowest < answerRatio * most) return null;
    return {
      severity: 'info',
      message: {
        en: `The slowest first token took ${showMs(first)}, ${show(first / usual)} times what nine in ten took at most (${showMs(usual)}), and the slowest answer ${showMs(slowest)}: most likely the engine was still warming up when the run began.`,
        zh: `最慢的首 token 用时 ${showMs(first)}，为九成请求上限（${showMs(usual)}）的 ${show(first / usual)} 倍，最慢的回答用时 ${showMs(slowest)}：运行开始时引擎很可能仍在预热。`,
      },
      evidence: { slowestTtftMs: first, ttftP90Ms: usual, slowestLatencyMs: slowest, latencyP90Ms: most },
      advice: {
        en: 'Send warm-up requests first (dyno run --warmup 32), then measure.',
        zh: '先发送预热请求（dyno run --warmup 32）再测量。',
      },
    };
  },
};
