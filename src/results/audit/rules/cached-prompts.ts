import { cacheOf } from '../../../core/index.ts';
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
    en: 'More of the prompts came from the prefix cache of the server than they allow by themselves (as one prompt of the run begins like an earlier one): it had been asked them before. First tokens and throughput are those of a cache.',
    zh: '来自服务器前缀缓存的提示词多于其自身允许的比例（即本次运行中某个提示词与之前的提示词开头相同的部分）：服务器以前被问过相同内容。首 token 与吞吐反映的是缓存。',
  },
  taughtBy:
    'The same command three times on one vLLM: hits 8, 95 and 95 %, mean TTFT 86.5, 31.5 and 21.1 ms. The same seed twice on an H200: 0 and 97 %, TTFT −69 %, and no word about it.',
  check(point, context) {
    const cache = cacheOf(point);
    const { dataset } = context.plan ?? {};
    if (cache === null || dataset === undefined) return null;
    // Random prompts have nothing in common; of others it has to be worked out.
    const eligible = point.eligibleInputRatio ?? (dataset.kind === 'random' ? 0 : null);
    if (eligible === null) return null;
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
      advice:
        dataset.kind === 'random'
          ? {
              en: `Ask other prompts (another --prompt-seed than ${String(seedOf(dataset.settings) ?? 1)}), or empty the cache first (--flush-cache, where the engine can).`,
              zh: `换用其他提示词（--prompt-seed 不同于 ${String(seedOf(dataset.settings) ?? 1)}），或先清空缓存（--flush-cache，若引擎支持）。`,
            }
          : {
              en: 'Empty the cache first (--flush-cache, where the engine can) or start the server again, or ask prompts that it has not seen; where users do repeat them, it is what they get.',
              zh: '先清空缓存（--flush-cache，若引擎支持）或重启服务器，或换用服务器未见过的提示词；若真实用户本就重复提问，则该结果如实反映。',
            },
    };
  },
};

function seedOf(settings: Readonly<Record<string, string | number | boolean>> | undefined): number | null {
  const seed = settings?.['seed'];
  return typeof seed === 'number' ? seed : null;
}
