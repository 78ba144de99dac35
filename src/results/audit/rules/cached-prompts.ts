import { cacheOf } from '../cache.ts';
import { limitOf } from '../limits.ts';
import { known } from '../printed-room.ts';
import type { PointRule } from '../rule.ts';
import { percent } from '../wording.ts';

/** Less than this of a prompt is what all prompts begin with: the chat template and its system prompt. */
const templateTokens = 64;

/** Prompts that were meant to be new came from the server's cache. */
export const cachedPrompts: PointRule = {
  code: 'cached-prompts',
  severities: ['warn'],
  meaning: {
    en: 'Random prompts, of which the prompts themselves allow next to no reuse, came from the prefix cache of the server: it had been asked them before. First tokens and throughput are those of a cache.',
    zh: '随机提示词本身几乎不可复用，却来自服务器的前缀缓存：服务器以前被问过相同内容。首 token 与吞吐反映的是缓存。',
  },
  taughtBy:
    'The same command three times on one vLLM: hits 8, 95 and 95 %, mean TTFT 86.5, 31.5 and 21.1 ms. The same seed twice on an H200: 0 and 97 %, TTFT −69 %, and no word about it.',
  check(point, context) {
    const cache = cacheOf(point);
    const { dataset } = context.plan ?? {};
    if (cache === null || dataset === undefined || dataset.kind !== 'random') return null;
    const eligible = point.eligibleInputRatio ?? 0;
    const above = cache.hits - eligible;
    const tokens = point.inputTokens?.mean ?? null;
    if (above < limitOf(context, 'cached-new') || (known(tokens) && above * tokens < templateTokens)) return null;
    return {
      severity: 'warn',
      message: {
        en: `${percent(cache.hits)} of the prompt tokens came from the server's prefix cache, where these prompts by themselves allow ${percent(eligible)}: the server had been asked them before. First tokens and throughput are a cache's.`,
        zh: `${percent(cache.hits)} 的提示 token 来自服务器的前缀缓存，而这些提示词本身只允许 ${percent(eligible)}：服务器以前被问过相同内容。首 token 与吞吐反映的是缓存。`,
      },
      evidence: { hitRatio: cache.hits, eligibleRatio: eligible, by: cache.by, seed: seedOf(dataset.settings) },
      advice: {
        en: `Ask other prompts (another --prompt-seed than ${String(seedOf(dataset.settings) ?? 1)}), or empty the cache first (--flush-cache, where the engine can).`,
        zh: `换用其他提示词（--prompt-seed 不同于 ${String(seedOf(dataset.settings) ?? 1)}），或先清空缓存（--flush-cache，若引擎支持）。`,
      },
    };
  },
};

function seedOf(settings: Readonly<Record<string, string | number | boolean>> | undefined): number | null {
  const seed = settings?.['seed'];
  return typeof seed === 'number' ? seed : null;
}
