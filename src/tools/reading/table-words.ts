import { labels, means, normalLabel } from './fact-key.ts';
import type { FactKey, Meaning } from './fact-key.ts';
import { plainDigits } from './number-text.ts';
import { evalscopeLabels, statisticOf } from '../evalscope/labels.ts';
import { servingLabels, servingStatistic } from '../vllm/labels.ts';

/** Names that people give to figures in tables of their own; times without a unit are seconds, as evalscope prints them. */
const ownWords: ReadonlyMap<string, Meaning> = labels([
  [means('durationMs', 1000), '用时; 耗时; 总用时; 总耗时; duration; time'],
  [means('requestsPerSec'), 'qps; rps; average qps; 请求吞吐量; 请求吞吐; requests/s; req/s'],
  [
    means('latencyMs.mean', 1000),
    '延迟; 平均延迟; 时延; 平均时延; 端到端时延; 端到端延迟; 响应时间; latency; lat; lat.; e2e latency; ' +
      'average latency',
  ],
  [
    means('outputTokensPerSec'),
    '吞吐量; 吞吐; 输出吞吐量; 输出吞吐; 生成吞吐量; 生成吞吐; token吞吐量; token吞吐; throughput; toks/s; ' +
      'gen. toks/s; gen toks/s; output toks/s; generation throughput; tokens/s; completion-tokens/s; ' +
      'output tokens/s; output throughput; tps',
  ],
  [means('counts.failed'), '失败数; 失败; 失败请求数; failed; failures'],
  [means('counts.ok'), '成功数; 成功请求数; succeeded; success; completed'],
  [means('counts.planned'), '总请求数; 请求数; requests; num requests; num prompts'],
  [means('outputTokens.mean'), '输出长度'],
  [means('inputTokens.mean'), '输入长度'],
  [means('totalTokensPerSec'), '总吞吐量; 总吞吐; total throughput'],
  [means('inputTokensPerSec'), '输入吞吐量; 输入吞吐; input throughput'],
  [
    means('ttftMs.mean', 1000),
    '首token时延; 首token延迟; 首字时延; 首字延迟; 首token时间; 首包; 首包时延; 首包延迟; ttft',
  ],
  [means('tpotMs.mean', 1000), '每token时延; 每token延迟; tpot'],
  [means('itlMs.mean', 1000), 'decode时延; decode延迟; 非首token时延; 非首token延迟; itl'],
]);

/** Counts of tokens that are a request's only where the column says that it is their average. */
const averagedCounts: ReadonlyMap<string, Meaning> = labels([
  [means('outputTokens.mean'), 'output tokens; output length; completion tokens; 输出长度; 输出token; 输出token数'],
  [means('inputTokens.mean'), '输入token; 输入token数; input tokens; input length; prompt tokens; 输入长度'],
]);

export const concurrencyWords = new Set([
  '并发',
  '并发数',
  '并行数',
  '并行',
  'concurrency',
  'parallel',
  'parallels',
  'conc',
  'conc.',
  'batch size',
  'number of concurrency',
  'max concurrency',
  'maximum request concurrency',
]);
export const rateWords = new Set(['rate', 'request rate', '请求速率', 'request rate (req/s)', 'rps (target)']);
export const cornerWords = new Set([
  '指标',
  'metric',
  'metrics',
  '指标名称',
  '项目',
  '并发',
  '并发数',
  '并行数',
  'concurrency',
  'parallel',
]);

/** Whether the first cell of a line says that the line is the head of a table of results. */
export function isHeadWord(cell: string): boolean {
  const label = normalLabel(cleanCell(cell));
  return cornerWords.has(label) || concurrencyWords.has(label) || rateWords.has(label);
}

const identityWords: ReadonlyMap<string, 'model' | 'engine'> = new Map([
  ['模型', 'model'],
  ['模型名称', 'model'],
  ['model', 'model'],
  ['引擎', 'engine'],
  ['推理引擎', 'engine'],
  ['框架', 'engine'],
  ['推理框架', 'engine'],
  ['后端', 'engine'],
  ['engine', 'engine'],
  ['framework', 'engine'],
  ['backend', 'engine'],
]);

/** Whether the cells of a column name the model or the engine of each row. */
export function identityOf(cell: string): 'model' | 'engine' | null {
  return identityWords.get(normalLabel(cleanCell(cell))) ?? null;
}

/** "输入长度", "input len", "ISL", "输出token数": which side of a request a length is of. */
export function lengthSide(cell: string): 'input' | 'output' | null {
  const label = normalLabel(cleanCell(cell));
  if (/^(?:输入|prompt|input|isl$)/.test(label) && lengthEnd.test(label)) return 'input';
  return /^(?:输出|生成|completion|output|osl$)/.test(label) && lengthEnd.test(label) ? 'output' : null;
}

const lengthEnd =
  /^(?:输入|输出|生成|input|output|prompt|completion|isl|osl)[ -]?(?:长度|tokens?数?|tokens? ?长度|len|length)?(?: ?\(tokens?\))?$/;

/** Emphasis and code marks that people put around a figure. */
export function cleanCell(cell: string): string {
  return plainDigits(cell.replaceAll(/\*\*|__|`|~~|<br\s*\/?>/gi, ' ')).trim();
}

export function meaningOf(cell: string): Meaning | null {
  const label = normalLabel(cleanCell(cell));
  const plain =
    ownWords.get(label) ?? evalscopeLabels.get(label) ?? servingLabels.get(label) ?? servingStatistic(label);
  if (plain !== undefined) return plain;
  // People put blanks around foreign words in Chinese, or do not.
  const joined = /\p{Script=Han}/u.test(label) ? label.replaceAll(' ', '') : label;
  return wordOf(label) ?? withUnit(label) ?? wordOf(joined) ?? withUnit(joined);
}

/** A word as people put it: "p90", "P90 latency", "latency p90", "avg latency", "mean TTFT". */
function wordOf(label: string): Meaning | null {
  const own = ownWords.get(label);
  if (own !== undefined) return own;
  const ranked = /^(?:(.+?) ?)?\b(p\d+)(?: ?(.+))?$/.exec(label);
  if (ranked !== null) {
    const statistic = statisticOf(ranked[2]!);
    const of = ranked[1] ?? ranked[3] ?? 'latency';
    const base = ranked[1] !== undefined && ranked[3] !== undefined ? undefined : ownWords.get(of);
    if (statistic === null || base === undefined || !base.key.endsWith('Ms.mean')) return null;
    return means(`${base.key.slice(0, -'.mean'.length)}.${statistic}` as FactKey, base.scale);
  }
  const { of, statistic } = statedOf(label);
  if (of === null) return null;
  if (statistic === 'mean' && averagedCounts.has(of)) return averagedCounts.get(of)!;
  const base = ownWords.get(of);
  if (base?.key.endsWith('.mean') !== true) return null;
  if (statistic === 'mean') return base;
  return base.key.endsWith('Ms.mean') ? means(base.key.replace(/mean$/, statistic) as FactKey, base.scale) : null;
}

const statisticWords: readonly (readonly ['mean' | 'p50' | 'min' | 'max', string])[] = [
  ['mean', 'avg\\.?|average|mean|平均值?|均值'],
  ['p50', 'median|中位数?'],
  ['min', 'min\\.?|minimum|最小值?|最低'],
  ['max', 'max\\.?|maximum|最大值?|最高'],
];

/** "mean TTFT", "TTFT mean", "TTFT (avg)", "平均首token时延": the word, and the statistic of it; null = none is named. */
function statedOf(label: string): { of: string | null; statistic: 'mean' | 'p50' | 'min' | 'max' } {
  for (const [statistic, names] of statisticWords) {
    const match =
      new RegExp(`^(?:${names})[ .]*(.+)$`).exec(label) ?? new RegExp(`^(.+?)[ ,]*\\(?(?:${names})\\)?$`).exec(label);
    if (match !== null) return { of: match[1]!, statistic };
  }
  return { of: null, statistic: 'mean' };
}

/** "延迟 (秒)", "latency (ms)", "p99 (s)", "mean latency ms", "吞吐量 (tokens/s)": the word, and the unit it is given in. */
function withUnit(label: string): Meaning | null {
  const match =
    /^(.+?)\s*[([]\s*(s|ms|秒|毫秒|sec|seconds|toks?\/s|tokens?\/s|tokens?\/秒|req\/s|次\/秒|个\/秒|tps|qps|rps)\s*[)\]]$/.exec(
      label,
    ) ?? /^(.+?) (s|ms)$/.exec(label);
  if (match === null) return null;
  const base = wordOf(match[1]!);
  if (base === null) return null;
  const timed = base.scale === 1000;
  const unit = match[2]!;
  if (!timed) return isPerSecond(unit) ? base : null;
  if (unit === 'ms' || unit === '毫秒') return means(base.key, 1);
  return isPerSecond(unit) ? null : base;
}

function isPerSecond(unit: string): boolean {
  return unit.includes('/') || unit.endsWith('ps');
}
