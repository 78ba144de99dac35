import type { PointRule } from '../rule.ts';
import { percent } from '../wording.ts';

/** Requests that were planned and never heard of again. */
export const unaccountedRequests: PointRule = {
  code: 'unaccounted-requests',
  severities: ['invalid'],
  meaning: {
    en: 'planned ≠ ok + failed + cancelled + dropped. Lost requests are usually the slowest ones, and a client that lost them was not applying the load it claims.',
    zh: '计划数 ≠ 成功 + 失败 + 取消 + 丢弃。丢失的通常是最慢的请求，且丢失请求的客户端没有施加其声称的负载。',
  },
  taughtBy:
    'evalscope 0.5.5: a worker whose first request times out dies silently; published sweeps lost 3,752 of 73,601 requests ("Expected 1000, Total 988").',
  check(point) {
    const { planned, unaccounted, ok, failed } = point.counts;
    if (unaccounted <= 0) return null;
    return {
      severity: 'invalid',
      message: {
        en: `${unaccounted} of ${planned} requests (${percent(unaccounted / planned)}) are not accounted for: neither ok nor failed. The client lost them, most often together with the worker that sent them.`,
        zh: `${planned} 个请求中有 ${unaccounted} 个（${percent(unaccounted / planned)}）下落不明：既非成功也非失败。通常是客户端连同发送它们的工作协程一起丢失了。`,
      },
      evidence: { planned, ok, failed, unaccounted },
      advice: {
        en: 'Raise the client timeout or lower the load, and measure again with a client that accounts for every request.',
        zh: '增大客户端超时或降低负载，并使用能核对每个请求去向的客户端重新测量。',
      },
    };
  },
};
