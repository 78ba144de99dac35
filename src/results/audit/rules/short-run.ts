import { known } from '../printed-room.ts';
import type { PointRule } from '../rule.ts';
import { show, showMs } from '../wording.ts';

/** A run must last this many residence times before start and end stop mattering. */
const residences = 3;

/** Too short for a steady state. */
export const shortRun: PointRule = {
  code: 'short-run',
  severities: ['warn'],
  meaning: {
    en: 'The run lasted fewer than three mean latencies: most of it is start and drain, and rates are lower than the server sustains.',
    zh: '运行时长不足平均延迟的三倍：大部分时间处于启动和收尾阶段，速率低于服务器的持续能力。',
  },
  taughtBy:
    'Qwen1.5-7B at 720 with 1,000 requests: 40.6 s for a mean latency of 18.8 s, so only 64 % of the slots were filled on average.',
  check(point) {
    const latency = point.latencyMs?.mean ?? null;
    if (!known(point.durationMs) || !known(latency) || latency <= 0 || !(point.counts.ok > 1)) return null;
    const ratio = point.durationMs / latency;
    if (ratio >= residences) return null;
    return {
      severity: 'warn',
      message: {
        en: `The run lasted ${showMs(point.durationMs)}, only ${show(ratio)} mean latencies: start and drain weigh on its rates.`,
        zh: `运行时长 ${showMs(point.durationMs)}，仅为平均延迟的 ${show(ratio)} 倍：启动与收尾影响其速率。`,
      },
      evidence: { durationMs: point.durationMs, meanLatencyMs: latency, residences: ratio },
      advice: {
        en: 'Send at least ten times as many requests as the concurrency.',
        zh: '请求数至少应为并发数的十倍。',
      },
    };
  },
};
