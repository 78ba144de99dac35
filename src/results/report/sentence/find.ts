import type { Phrase, PromiseKept, Summary } from '../../../core/index.ts';
import { promiseWords } from './promise.ts';
import { countFigure, timeFigure } from './short-figure.ts';

/** What stands in the way of a larger load. */
export type FindLimit = 'batch' | 'kv' | 'prefill' | 'front' | 'client' | 'range' | 'unknown';

/** What came of a search, as its sentence needs it. */
export interface FindResult {
  kind: 'concurrency' | 'rate' | 'lanes';
  /** null = no load keeps every promise. */
  value: number | null;
  confirmed: boolean;
  /** The least load that was seen to break a promise; null = none did. */
  breaksAt: number | null;
  limit: FindLimit;
  /** What became of the promises at the answer, or at the least load where there is no answer. */
  slo: readonly PromiseKept[];
  probes: readonly { value: number; kept: boolean; fresh: boolean; summary: Summary }[];
  durationMs: number;
  /** The looks were spent before the edge was known. */
  outOfRuns: boolean;
}

const units: Readonly<Record<FindResult['kind'], Phrase>> = {
  concurrency: { en: ' users at once', zh: ' 并发' },
  rate: { en: ' requests/s', zh: ' 请求/s' },
  lanes: { en: ' sessions at once', zh: ' 路会话' },
};

export const limitWords: Readonly<Record<FindLimit, Phrase>> = {
  batch: { en: 'places in the batch', zh: '批的位置数' },
  kv: { en: 'the KV cache', zh: 'KV 缓存' },
  prefill: { en: 'prefill: prompts wait for their turn', zh: 'Prefill：提示词排队等待计算' },
  front: { en: "the server's own front (API process)", zh: '服务端前端（API 进程）' },
  client: { en: 'this client; more machines would load more (--workers)', zh: '压测端；可用更多机器（--workers）' },
  range: { en: 'the range that was searched; more may be possible', zh: '搜索范围的上限；可能还可更大' },
  unknown: { en: 'not told by what the server says', zh: '服务端信息不足以判断' },
};

/** A load as a number: whole where it is, else with at most four digits. */
export function loadFigure(value: number): string {
  return Number.isInteger(value) ? countFigure(value) : String(Number(value.toPrecision(4)));
}

/** A load with its unit: `102 users at once`. */
export function foundLoad(kind: FindResult['kind'], value: number): Phrase {
  const figure = loadFigure(value);
  const alone = kind === 'concurrency' && value === 1;
  return { en: alone ? 'one user alone' : `${figure}${units[kind].en}`, zh: `${figure}${units[kind].zh}` };
}

/** The answer in one line; where there is none, why, and the nearest promise that would hold. */
export function findInWords(found: FindResult): Phrase {
  if (found.value === null) {
    const broken = found.slo.find(({ kept }) => kept === false) ?? found.slo[0];
    const least = found.probes.toSorted((a, b) => a.value - b.value)[0];
    const at = least === undefined ? { en: 'the least load', zh: '最小负载' } : foundLoad(found.kind, least.value);
    if (broken === undefined) return { en: 'No load was measured.', zh: '没有测得任何负载点。' };
    const { promised, measured } = promiseWords(broken);
    return {
      en: `No load keeps ${promised.en}: ${at.en} ${measured === '–' ? 'gave no such figure' : `has ${measured}`}.`,
      zh: `没有负载能满足 ${promised.zh}：${at.zh}时为 ${measured}。`,
    };
  }
  const load = foundLoad(found.kind, found.value);
  const sure: Phrase = found.confirmed
    ? { en: 'confirmed with fresh prompts', zh: '已用新提示词复测确认' }
    : { en: 'NOT confirmed', zh: '未确认' };
  return {
    en: `${load.en} within ${found.slo.length === 1 ? 'the limit' : found.slo.length === 2 ? 'both limits' : `all ${found.slo.length} limits`}, ${sure.en}.`,
    zh: `满足全部要求的最大负载为${load.zh.startsWith(' ') ? '' : ' '}${load.zh}，${sure.zh}。`,
  };
}

/** How long a search took, and how often it looked. */
export function effortInWords({ durationMs, probes }: FindResult): Phrase {
  return {
    en: `${timeFigure(durationMs)}, ${probes.length} probes`,
    zh: `${timeFigure(durationMs)}，${probes.length} 次探测`,
  };
}

/** Why the answer is no larger or no surer, and the command's words that give more. */
export function whyInWords({ value, confirmed, breaksAt, outOfRuns, limit }: FindResult): Phrase | null {
  if (value === null)
    return {
      en: 'Promise less, or make the server quicker: dyno tune --init vllm.',
      zh: '请放宽要求，或优化服务端：dyno tune --init vllm。',
    };
  if (outOfRuns && breaksAt === null)
    return {
      en: 'The runs were spent before any load broke a promise: raise --find-runs.',
      zh: '运行次数用完时尚未有负载未达标：请增大 --find-runs。',
    };
  if (outOfRuns)
    return {
      en: 'The runs were spent before the edge was known: raise --find-runs.',
      zh: '运行次数用完时边界尚未确定：请增大 --find-runs。',
    };
  if (!confirmed)
    return {
      en: 'Fresh runs there keep the limits not surely enough: longer probes tell more (-n).',
      zh: '复测时未能以足够把握达标：请用更长的探测（-n）。',
    };
  return limit === 'range'
    ? {
        en: 'It is the end of the range: more may be possible (--concurrency 1,MORE).',
        zh: '已到范围上限：可能还可更大（--concurrency 1,更大值）。',
      }
    : null;
}
