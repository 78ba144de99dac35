import type { PointRule } from '../rule.ts';
import { greatest, serverFigure } from '../server-figure.ts';
import { percent, show } from '../wording.ts';

/** KV cache use from which a server starts to hold requests back. */
const fullRatio = 0.95;

/** The server ran out of KV cache. */
export const kvBound: PointRule = {
  code: 'kv-bound',
  severities: ['info'],
  meaning: {
    en: 'The KV cache was full or requests were preempted: more concurrency only makes requests wait, whatever the compute could do.',
    zh: 'KV 缓存已满或发生抢占：无论算力如何，提高并发只会增加等待。',
  },
  taughtBy:
    'vLLM recomputes preempted requests: throughput falls past the point where num_preemptions begins to count.',
  check(point) {
    const used = serverFigure(point, 'kvUsageMaxRatio') ?? greatest(point, 'kvUsageRatio');
    const preemptions = serverFigure(point, 'preemptions');
    const full = used !== null && used >= fullRatio;
    const preempted = preemptions !== null && preemptions > 0;
    if (!full && !preempted) return null;
    const en = [
      ...(full ? [`the KV cache was ${percent(used)} full`] : []),
      ...(preempted ? [`${show(preemptions)} requests were preempted`] : []),
    ];
    const zh = [
      ...(full ? [`KV 缓存使用率达 ${percent(used)}`] : []),
      ...(preempted ? [`${show(preemptions)} 个请求被抢占`] : []),
    ];
    return {
      severity: 'info',
      message: {
        en: `The server was bound by memory: ${en.join(' and ')}.`,
        zh: `服务器受显存限制：${zh.join('，')}。`,
      },
      evidence: { kvUsageMaxRatio: used, preemptions },
      advice: {
        en: 'Give the KV cache more memory, shorten the lengths, or cap the batch below the point of preemption (`dyno plan` computes it).',
        zh: '增加 KV 缓存、缩短长度，或将批次限制在抢占点以下（可用 `dyno plan` 计算）。',
      },
    };
  },
};
