import type { SweepRule } from '../rule.ts';
import { percent } from '../wording.ts';
import { curveOf } from './sweep-curve.ts';

/** Identical runs differ by up to this much. */
const noise = 0.03;

/** A point that dips although the points on both sides are higher. */
export const nonMonotonic: SweepRule = {
  code: 'non-monotonic',
  severities: ['warn'],
  meaning: {
    en: 'Throughput dips at one load and recovers at the next. Servers do not do that; disturbed runs do.',
    zh: '吞吐在某一负载处下降，随后又恢复。服务器不会如此，受干扰的运行才会。',
  },
  taughtBy:
    'Qwen1.5-14B prints 897, 915, 2334, 1364, 3621 tokens/s at rising concurrency: the dips are two runaway generations.',
  check(points) {
    const curve = curveOf(points);
    return curve.flatMap((at, i) => {
      const before = curve[i - 1];
      const after = curve[i + 1];
      if (before === undefined || after === undefined) return [];
      const dip = 1 - at.rate / Math.min(before.rate, after.rate);
      if (dip <= noise) return [];
      return [
        {
          severity: 'warn' as const,
          message: {
            en: `Throughput at ${at.load} is ${percent(dip)} below both neighbours (${before.load} and ${after.load}).`,
            zh: `${at.load} 处的吞吐比两侧（${before.load} 与 ${after.load}）低 ${percent(dip)}。`,
          },
          evidence: { load: at.load, dipRatio: dip },
          advice: {
            en: 'Measure this point again before reading a curve from it.',
            zh: '在据此解读曲线之前重新测量该点。',
          },
        },
      ];
    });
  },
};
