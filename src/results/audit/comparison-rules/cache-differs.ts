import { cacheOf } from '../../../core/index.ts';
import type { Summary } from '../../../core/index.ts';
import { limitOf } from '../limits.ts';
import type { ComparisonRule } from '../rule.ts';
import { percent } from '../wording.ts';

/** One side found more of its prompts in the server's cache. */
export const cacheDiffers: ComparisonRule = {
  code: 'cache-differs',
  severities: ['invalid'],
  meaning: {
    en: "The server took another share of the prompts from its prefix cache on one side: that saves it the work, and the difference is the cache's and not the server's. Not comparable.",
    zh: '一方的提示词有不同比例来自服务器的前缀缓存：缓存省去了计算，差异来自缓存而非服务器。不可比。',
  },
  taughtBy:
    'The same command three times on one vLLM: hits 8, 95 and 95 %, mean TTFT 86.5, 31.5 and 21.1 ms, and compare called the third +122 % better. The same seed twice on an H200: hits 0 and 97 %, TTFT −69 %.',
  check(baseline, other, context) {
    const [a, b] = [hitsOf(baseline.summary), hitsOf(other.summary)];
    if (a === null || b === null || Math.abs(a - b) <= limitOf(context, 'cache-apart')) return null;
    return {
      severity: 'invalid',
      message: {
        en: `${percent(a)} of the prompt tokens came from the prefix cache on one side, ${percent(b)} on the other: a difference is the cache's.`,
        zh: `一方 ${percent(a)} 的提示 token 来自前缀缓存，另一方为 ${percent(b)}：差异来自缓存。`,
      },
      evidence: { baseline: a, candidate: b },
      advice: {
        en: 'Ask new prompts on both sides (random text with another --prompt-seed), or the same ones of a cache that is equally warm (--flush-cache before both). Where the cache is what is compared: --limit cache-apart=100%.',
        zh: '双方都使用全新的提示词（随机文本换一个 --prompt-seed），或在缓存状态相同时使用相同提示词（双方之前都加 --flush-cache）。若比较的正是缓存：--limit cache-apart=100%。',
      },
    };
  },
};

function hitsOf(summary: Summary): number | null {
  return cacheOf(summary)?.hits ?? null;
}
