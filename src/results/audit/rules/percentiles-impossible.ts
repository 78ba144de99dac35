import { percentileRanks } from '../../../core/index.ts';
import type { Distribution, Summary } from '../../../core/index.ts';
import { known } from '../printed-room.ts';
import type { PointRule } from '../rule.ts';
import { show } from '../wording.ts';

/** Names of the distributions that are judged. */
const names = ['latencyMs', 'ttftMs', 'tpotMs', 'itlMs', 'inputTokens', 'outputTokens'] as const;

/** A distribution that no sample can have. */
export const percentilesImpossible: PointRule = {
  code: 'percentiles-impossible',
  severities: ['invalid'],
  meaning: {
    en: 'Percentiles must not fall, min and max must enclose them, a mean of positive values is at least (1 − p) times percentile p, and no request can last longer than the run.',
    zh: '百分位不得递减，最小值与最大值必须包住它们，正值的均值不小于 (1 − p) 倍的 p 百分位，且任何请求不会长于整个运行。',
  },
  taughtBy:
    'evalscope sorts lists that hold NaN, which leaves percentiles in arbitrary order; and digits are lost in copying.',
  check(point) {
    for (const name of names) {
      const why = wrongIn(point, name, point[name]);
      if (why === null) continue;
      return {
        severity: 'invalid',
        message: { en: `${name} cannot be: ${why.en}.`, zh: `${name} 不可能成立：${why.zh}。` },
        evidence: { distribution: name, ...why.evidence },
        advice: {
          en: 'Look the percentiles up in the original log, or compute them from the requests.',
          zh: '请在原始日志中核对，或由逐请求数据重新计算。',
        },
      };
    }
    return null;
  },
};

interface Wrong {
  en: string;
  zh: string;
  evidence: Record<string, number>;
}

function wrongIn(point: Summary, name: string, distribution: Distribution | null): Wrong | null {
  if (distribution === null) return null;
  const { mean, min, max } = distribution;
  const ladder = [
    ...(known(min) ? [{ name: 'min', value: min }] : []),
    ...percentileRanks.flatMap((rank) =>
      known(distribution[`p${rank}`]) ? [{ name: `p${rank}`, value: distribution[`p${rank}`]! }] : [],
    ),
    ...(known(max) ? [{ name: 'max', value: max }] : []),
  ];
  for (let i = 1; i < ladder.length; i++) {
    const [low, high] = [ladder[i - 1]!, ladder[i]!];
    if (high.value < low.value)
      return {
        en: `${high.name} (${show(high.value)}) is below ${low.name} (${show(low.value)})`,
        zh: `${high.name}（${show(high.value)}）小于 ${low.name}（${show(low.value)}）`,
        evidence: { [low.name]: low.value, [high.name]: high.value },
      };
  }
  if (known(mean) && ((known(min) && mean < min * 0.999) || (known(max) && mean > max * 1.001))) {
    return {
      en: `the mean (${show(mean)}) lies outside min and max`,
      zh: `均值（${show(mean)}）在最小值与最大值之外`,
      evidence: { mean },
    };
  }
  for (const rank of percentileRanks) {
    const value = distribution[`p${rank}`];
    if (known(mean) && known(value) && mean < value * (1 - rank / 100) * 0.98) {
      return {
        en: `p${rank} (${show(value)}) is too large for a mean of ${show(mean)}`,
        zh: `均值 ${show(mean)} 时 p${rank}（${show(value)}）过大`,
        evidence: { mean, [`p${rank}`]: value },
      };
    }
  }
  const top = ladder.at(-1);
  if (name === 'latencyMs' && top !== undefined && known(point.durationMs) && top.value > point.durationMs * 1.01 + 1) {
    return {
      en: `${top.name} (${show(top.value)} ms) is longer than the run (${show(point.durationMs)} ms)`,
      zh: `${top.name}（${show(top.value)} ms）长于整个运行（${show(point.durationMs)} ms）`,
      evidence: { [top.name]: top.value, durationMs: point.durationMs },
    };
  }
  return null;
}
