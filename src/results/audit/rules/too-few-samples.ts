import { percentileRanks } from '../../../core/index.ts';
import type { Distribution, Summary } from '../../../core/index.ts';
import type { PointRule } from '../rule.ts';

/** A percentile needs about this many samples beyond it to mean something. */
const samplesBeyond = 10;

/** Percentiles shown that rest on a handful of requests. */
export const tooFewSamples: PointRule = {
  code: 'too-few-samples',
  severities: ['warn'],
  meaning: {
    en: 'A percentile p rests on the samples beyond it: with fewer than 10 of them (n < 10/(1 − p/100)) it is the luck of one request.',
    zh: '百分位 p 取决于其外侧的样本：少于 10 个（n < 10/(1 − p/100)）时只是个别请求的偶然结果。',
  },
  taughtBy:
    'evalscope takes element int(n·p/100): with 100 requests its P99 is the maximum, with 10 requests P90 is too.',
  check(point) {
    const shown = [point.latencyMs, point.ttftMs, point.tpotMs].filter((d) => d !== null && d.n > 0) as Distribution[];
    if (shown.length === 0) return null;
    const n = Math.min(...shown.map((d) => d.n));
    const weak = percentileRanks.filter((rank) => n * (100 - rank) < samplesBeyond * 100 && isShown(point, rank));
    if (weak.length === 0) return null;
    const names = weak.map((rank) => `p${rank}`).join(', ');
    const need = Math.ceil((samplesBeyond * 100) / (100 - weak.at(-1)!));
    return {
      severity: 'warn',
      message: {
        en: `${n} requests are too few for ${names}.`,
        zh: `${n} 个请求不足以给出 ${names.replaceAll(', ', '、')}。`,
      },
      evidence: { n, percentiles: names, needed: need },
      advice: {
        en: `${need} would do (-n ${need}).`,
        zh: `至少需要 ${need} 个（-n ${need}）。`,
      },
    };
  },
};

function isShown(point: Summary, rank: (typeof percentileRanks)[number]): boolean {
  const key = `p${rank}` as const;
  return [point.latencyMs, point.ttftMs, point.tpotMs].some((d) => d !== null && d[key] !== null);
}
