import { known } from '../printed-room.ts';
import type { SweepRule } from '../rule.ts';
import { show } from '../wording.ts';

/** Every point asked the same prompts. */
export const samePrompts: SweepRule = {
  code: 'same-prompts',
  severities: ['info'],
  meaning: {
    en: 'The mean prompt length is the same to the last digit in every point: each asked the same prompts, so a prefix cache filled by one point serves the next.',
    zh: '每个点的平均提示词长度完全一致：各点使用了相同的提示词，前一点填充的前缀缓存会服务于后一点。',
  },
  taughtBy: 'All twelve Qwen1.5-7B points print 40.296 input tokens per request.',
  check(points) {
    // A sweep of ours gives each point prompts of its own, which may well be equally long.
    if (points.some((point) => point.source.tool === 'llmdyno')) return [];
    const lengths = points.flatMap((point) =>
      known(point.inputTokens?.mean) && point.counts.ok > 1 ? [point.inputTokens!.mean!] : [],
    );
    const [first] = lengths;
    if (lengths.length < 3 || first === undefined || lengths.some((length) => length !== first)) return [];
    return [
      {
        severity: 'info',
        message: {
          en: `All ${lengths.length} points have ${show(first)} input tokens per request: the same prompts were asked each time, and caches may help the later points.`,
          zh: `全部 ${lengths.length} 个点的平均输入均为 ${show(first)} token：每次使用相同提示词，缓存可能使后面的点受益。`,
        },
        evidence: { meanInputTokens: first, points: lengths.length },
        advice: {
          en: 'Give each point its own slice of the dataset, or switch the prefix cache off.',
          zh: '为每个点使用数据集的不同部分，或关闭前缀缓存。',
        },
      },
    ];
  },
};
