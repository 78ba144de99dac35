import type { PointRule } from '../rule.ts';
import { percent } from '../wording.ts';

/** From this share on, the load that was asked for was not made. */
const harmfulRatio = 0.01;

/** Machines of a run over many were lost, and requests with them. */
export const lostWithWorker: PointRule = {
  code: 'lost-with-worker',
  severities: ['warn', 'invalid'],
  meaning: {
    en: 'A machine of a run over many (or Redis itself) was lost, and what became of its requests is not known. They are counted as cancelled; invalid from 1 % of the requests on, or when Redis itself was lost, because the load was not the one asked for.',
    zh: '多机运行中丢失了机器（或 Redis），其请求结果未知，计为取消。占请求 1% 及以上或 Redis 本身丢失时结果无效，因为实际负载与要求不符。',
  },
  taughtBy:
    'Distributed load generators that lose a worker print the same totals with fewer requests, and no word of it.',
  check(point) {
    const { byProblem, planned } = point.counts;
    const withWorker = byProblem['lost-with-worker'] ?? 0;
    const withRedis = byProblem['lost-with-redis'] ?? 0;
    const gone = (point.workers ?? []).filter(({ state }) => state === 'lost').map(({ name }) => name);
    const lost = withWorker + withRedis;
    if (lost === 0 && gone.length === 0) return null;
    const ratio = planned === 0 ? 1 : lost / planned;
    const who = gone.length === 0 ? { en: 'Redis', zh: 'Redis' } : { en: gone.join(', '), zh: gone.join('、') };
    return {
      severity: withRedis > 0 || ratio >= harmfulRatio ? 'invalid' : 'warn',
      message: {
        en: `Lost during the run: ${who.en}; ${lost} of ${planned} requests (${percent(ratio)}) went with it and are counted as cancelled.`,
        zh: `运行中丢失：${who.zh}；随之丢失 ${planned} 个请求中的 ${lost} 个（${percent(ratio)}），计为取消。`,
      },
      evidence: { lostWorkers: gone.join(', ') || null, lostRequests: lost, withWorker, withRedis, planned },
      advice: {
        en: 'Look at what happened there (memory, network, power); the load was lower until the others took over, which in an open loop takes as long as --lost-after of dyno worker. Run again for a clean point.',
        zh: '请检查该处（内存、网络、电源）；在其他机器接手之前负载偏低；开环负载下接手所需时间由 dyno worker 的 --lost-after 决定。需要干净的结果请重新运行。',
      },
    };
  },
};
