import type { Phrase } from '../../core/index.ts';
import type { EngineCounters } from './engine-events.ts';
import type { Saturation } from './saturation.ts';

/** What the labels mean, for people. */
export const saturationWords: Readonly<Record<Saturation, Phrase>> = {
  stable: { en: 'stable', zh: '稳定' },
  backlogged: { en: 'backlogged: requests wait for the engine', zh: '积压：请求在等待引擎' },
  unknown: { en: 'too short a run to tell whether it keeps up', zh: '运行太短，无法判断是否跟得上' },
  overloaded: { en: 'overloaded: the queue grows for as long as the load lasts', zh: '过载：负载持续期间队列不断增长' },
};

/** What kept a simulated server from more: the process in front of it, or what requests waited for inside it. */
export type Limit = 'batch' | 'kv' | 'prefill' | 'front';

/** From this backlog on the front is the limit: tokens wait for it as long as it works on them. */
const fullFront = 1;
/** Less than this share of the steps' time with somebody waiting is no limit. */
const seldom = 0.05;

/** The limit of a run; null = none was reached. */
export function limitOf({ limitedMs, busyMs, frontBacklogRatio = 0 }: EngineCounters): Limit | null {
  if (frontBacklogRatio >= fullFront) return 'front';
  const [limit, ms] = (['batch', 'kv', 'prefill'] as const)
    .map((name) => [name, limitedMs[name]] as const)
    .reduce((most, next) => (next[1] > most[1] ? next : most));
  return ms > seldom * busyMs ? limit : null;
}

/** What the limits mean, for people. */
const limitWords: Readonly<Record<Limit, Phrase>> = {
  batch: { en: 'limited by the batch', zh: '受批大小限制' },
  kv: { en: 'limited by the KV cache', zh: '受 KV 缓存限制' },
  prefill: { en: 'limited by the prefill budget of a step', zh: '受每步 prefill 预算限制' },
  front: { en: 'limited by the front: its one process is full', zh: '受前端限制：其单进程已满载' },
};
const noLimit: Phrase = { en: 'no limit reached', zh: '未达到任何上限' };

/** How an engine bore a run, in one line: its label, what limited it, the KV cache at its fullest, what was preempted, recomputed, swapped. */
export function engineStory(counters: EngineCounters, saturation: Saturation | null): Phrase {
  const { kvTotalBlocks, kvPeakBlocks, preemptionsTotal, recomputedTokensTotal, swappedOutBlocksTotal } = counters;
  const parts: Phrase[] = saturation === null ? [] : [saturationWords[saturation]];
  const limit = limitOf(counters);
  parts.push(limit === null ? noLimit : limitWords[limit]);
  if (kvTotalBlocks !== null) {
    const share = `${Math.round((100 * kvPeakBlocks) / kvTotalBlocks)} %`;
    parts.push({ en: `KV cache ${share} full at most`, zh: `KV 缓存最多占用 ${share}` });
  }
  if (preemptionsTotal > 0) parts.push({ en: `${preemptionsTotal} preemptions`, zh: `抢占 ${preemptionsTotal} 次` });
  if (recomputedTokensTotal > 0)
    parts.push({ en: `${recomputedTokensTotal} tokens recomputed`, zh: `重算 ${recomputedTokensTotal} 个 token` });
  if (swappedOutBlocksTotal > 0) parts.push(swapWords(swappedOutBlocksTotal, counters.swappedOutBytesPerCardTotal));
  return { en: parts.map(({ en }) => en).join(', '), zh: parts.map(({ zh }) => zh).join('，') };
}

function swapWords(blocks: number, bytes: number | null): Phrase {
  const size =
    bytes === null
      ? null
      : bytes < 2 ** 30
        ? `${Math.round(bytes / 2 ** 20)} MiB`
        : `${(bytes / 2 ** 30).toFixed(1)} GiB`;
  return {
    en: `${blocks} blocks${size === null ? '' : ` (${size} a card)`} swapped out`,
    zh: `换出 ${blocks} 块${size === null ? '' : `（每卡 ${size}）`}`,
  };
}
