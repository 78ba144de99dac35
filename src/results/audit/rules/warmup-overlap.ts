import { known } from '../printed-room.ts';
import type { PointRule } from '../rule.ts';
import { serverFigure } from '../server-figure.ts';

/** The server batched more requests than the test had in flight. */
export const warmupOverlap: PointRule = {
  code: 'warmup-overlap',
  severities: ['warn'],
  meaning: {
    en: 'The largest decode batch exceeds the concurrency: other requests, most often the warm-up, were still running when measuring began.',
    zh: '最大解码批次超过并发数：测量开始时仍有其他请求（通常为预热请求）在运行。',
  },
  taughtBy:
    'MindIE on QwQ-32B at concurrency 10: DecoderBatchsize max 20, because ten warm-up streams of up to 512 steps overlap the test.',
  check(point) {
    const batch = serverFigure(point, 'DecoderBatchsize.max');
    const asked = point.load.concurrency;
    if (batch === null || !known(asked) || batch <= asked) return null;
    return {
      severity: 'warn',
      message: {
        en: `A decode batch of ${batch} was seen at a concurrency of ${asked}: ${batch - asked} requests beside the test, most likely its warm-up, were still running.`,
        zh: `并发 ${asked} 时出现了 ${batch} 的解码批次：测试之外还有 ${batch - asked} 个请求在运行，很可能是预热请求。`,
      },
      evidence: { decodeBatchMax: batch, concurrency: asked },
      advice: {
        en: 'Let the warm-up drain before measuring, or use enough requests that it does not matter.',
        zh: '在测量前等待预热请求结束，或使用足够多的请求以消除影响。',
      },
    };
  },
};
