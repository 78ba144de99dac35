import type { Phrase } from '../../../core/index.ts';

/** How a quantity of telemetry is called on a chart, and by what its values are multiplied to be in the unit named. */
export interface SampleName {
  title: Phrase;
  scale: number;
}

const name = (en: string, zh: string, scale = 1): SampleName => ({ title: { en, zh }, scale });

/** The quantities that servers and cards commonly tell, in the order in which they are worth a look. */
const known: Readonly<Record<string, SampleName>> = {
  'server running': name('Server: requests running', '服务器：运行中的请求'),
  'server waiting': name('Server: requests waiting', '服务器：排队的请求'),
  'server kvUsageRatio': name('Server: KV cache in use (%)', '服务器：KV 缓存使用率 (%)', 100),
  'device utilizationRatio': name('Cards: utilisation (%)', '加速卡：利用率 (%)', 100),
  'device memoryUsedBytes': name('Cards: memory in use (GB)', '加速卡：显存占用 (GB)', 1e-9),
  'device powerW': name('Cards: power (W)', '加速卡：功率 (W)'),
  'server preemptionsTotal': name('Server: preemptions since its start', '服务器：启动以来的抢占次数'),
  'server prefixHitRatio': name('Server: prefix cache hits (%)', '服务器：前缀缓存命中率 (%)', 100),
  'server generationTokensTotal': name('Server: tokens generated since its start', '服务器：启动以来生成的 token'),
  'server promptTokensTotal': name('Server: prompt tokens since its start', '服务器：启动以来的输入 token'),
  'server prefixHitsTotal': name('Server: tokens found in the prefix cache', '服务器：前缀缓存命中的 token'),
  'server prefixQueriesTotal': name('Server: tokens looked up in the prefix cache', '服务器：前缀缓存查询的 token'),
  'server finishedTotal': name('Server: requests finished since its start', '服务器：启动以来完成的请求'),
  'server kvCapacityTokens': name('Server: tokens its KV cache holds', '服务器：KV 缓存容量（token）'),
};
const order = Object.keys(known);

/** The name of a quantity; one that is not known is called as it calls itself. */
export function sampleName(what: string): SampleName {
  return Object.hasOwn(known, what) ? known[what]! : name(what, what);
}

/** Where a quantity stands among others: known ones first. */
export function rankOf(what: string): number {
  const at = order.indexOf(what);
  return at < 0 ? order.length : at;
}
