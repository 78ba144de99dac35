import type { PointRule } from '../rule.ts';

/** Prompts were asked more than once in the run. */
export const datasetCycled: PointRule = {
  code: 'dataset-cycled',
  severities: ['warn'],
  meaning: {
    en: 'The dataset holds fewer prompts than requests, so prompts repeat and a prefix cache may answer part of them.',
    zh: '数据集的提示词少于请求数，提示词会重复，前缀缓存可能命中。',
  },
  taughtBy:
    "evalscope's speed_benchmark has 8 rows; cycled 1,000 times every prompt but the first eight is a cache hit.",
  check(point, context) {
    const dataset = context.plan?.dataset;
    const items = (dataset?.asks === undefined ? dataset?.items : dataset.asks) ?? null;
    const asked = point.counts.planned - (point.counts.byProblem['not-sent'] ?? 0);
    const more = items !== null && asked > items;
    // A run that was stopped before it repeated itself asked nothing twice.
    if (point.partial && items !== null && !more) return null;
    // A run by duration does not know beforehand how many it will ask; its count does.
    if (!(context.datasetCycled ?? context.plan?.dataset.cycled ?? false) && !more) return null;
    const counted = more
      ? { en: `: ${asked} requests from ${items} prompts`, zh: `：${asked} 个请求来自 ${items} 条提示词` }
      : { en: '', zh: '' };
    return {
      severity: 'warn',
      message: {
        en: `Prompts repeat${counted.en}. A server with a prefix cache does less work on a repeat.`,
        zh: `提示词重复${counted.zh}。带前缀缓存的服务器处理重复提示词时工作量更小。`,
      },
      evidence: { requests: asked, prompts: items },
      advice: {
        en: 'Use a larger dataset, or switch the prefix cache off for the measurement.',
        zh: '使用更大的数据集，或在测量时关闭前缀缓存。',
      },
    };
  },
};
