import { percentileRanks, userError, UserError } from '../../core/index.ts';
import type { PercentileKey } from '../../core/index.ts';

/** Metric words that are a time per request or per token, and take a statistic after a dot. */
export const timeMetrics = ['ttft', 'tpot', 'itl', 'latency', 'lateness'] as const;
/** Metric words that are one number of the whole run. */
export const runMetrics = ['failed', 'goodput', 'requestsPerSec', 'outputTokensPerSec', 'totalTokensPerSec'] as const;
export type TimeMetric = (typeof timeMetrics)[number];
export type MetricWord = TimeMetric | (typeof runMetrics)[number];

/** The statistics a time metric can be asked for. */
export const statistics = ['mean', 'min', 'max', ...percentileRanks.map((rank) => `p${rank}` as const)] as const;
export type Statistic = 'mean' | 'min' | 'max' | PercentileKey;

/** One promise about a run, `ttft.p99<2s`, understood. */
export interface Slo {
  /** As written, in plain characters. */
  text: string;
  metric: MetricWord;
  /** null = none was written: the promise is about every request. */
  statistic: Statistic | null;
  op: '<' | '<=' | '>' | '>=';
  /** In ms, as a ratio, or per second. */
  limit: number;
  unit: 'ms' | 'ratio' | 'perSec';
}

const shape =
  /^\s*([A-Za-z]+)(?:\.([A-Za-z0-9]+))?\s*(<=|>=|<|>)\s*(\d{1,15}(?:\.\d{1,15})?|\.\d{1,15})\s*([A-Za-z%]*)\s*$/;
const msPer: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

/** A promise in plain characters: those of a Chinese keyboard mean the same. */
export function plainPromise(text: string): string {
  const plain = text.normalize('NFKC').replaceAll('≤', '<=').replaceAll('≥', '>=').replaceAll('。', '.');
  return plain
    .replace(/毫秒\s*$/, 'ms')
    .replace(/秒\s*$/, 's')
    .trim();
}

/** What other tools call a metric or a statistic, by what it is here. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ['e2e', 'latency'],
  ['e2el', 'latency'],
  ['qps', 'requestsPerSec'],
  ['rps', 'requestsPerSec'],
  ['throughput', 'outputTokensPerSec'],
  ['avg', 'mean'],
  ['average', 'mean'],
  ['median', 'p50'],
]);

/** Understands one SLO word; a UserError lists the metrics and says what is missing. */
export function parseSlo(typed: string): Slo {
  const text = plainPromise(typed);
  const parts = shape.exec(text);
  if (parts === null) throw mistaken(text, 'is not METRIC[.STATISTIC]<VALUE', '不是 指标[.统计量]<数值 的形式');
  const [, word, dotted, op, digits, unitWord] = parts as unknown as [
    string,
    string,
    string?,
    Slo['op']?,
    string?,
    string?,
  ];
  const metric = [...timeMetrics, ...runMetrics].find((known) => known.toLowerCase() === word.toLowerCase());
  if (metric === undefined) throw mistaken(text, `names no known metric: ${word}`, `没有这个指标：${word}`, word);
  const statistic = statistics.find((known) => known === dotted?.toLowerCase()) ?? null;
  const isTime = (timeMetrics as readonly string[]).includes(metric);
  if (dotted !== undefined && (statistic === null || !isTime))
    throw mistaken(text, `${metric} has no statistic ".${dotted}"`, `${metric} 没有统计量 ".${dotted}"`, dotted);
  const value = Number(digits);
  return { text, metric, statistic, op: op!, ...limitOf(text, metric, isTime, value, unitWord!) };
}

function limitOf(
  text: string,
  metric: MetricWord,
  isTime: boolean,
  value: number,
  unit: string,
): Pick<Slo, 'limit' | 'unit'> {
  if (isTime) {
    const per = msPer.get(unit.toLowerCase());
    if (per === undefined)
      throw mistaken(text, `needs a time unit (ms, s, m, h) after ${value}`, `${value} 后面需要时间单位 (ms, s, m, h)`);
    return { limit: value * per, unit: 'ms' };
  }
  if ((metric === 'failed' || metric === 'goodput') && unit === '%') return { limit: value / 100, unit: 'ratio' };
  if (unit !== '') throw mistaken(text, `${metric} does not take the unit "${unit}"`, `${metric} 不能用单位 "${unit}"`);
  return { limit: value, unit: metric === 'failed' ? 'ratio' : 'perSec' };
}

function mistaken(text: string, en: string, zh: string, word = ''): UserError {
  const here = otherNames.get(word.toLowerCase());
  const meant = here === undefined ? ['', ''] : [`Here it is called ${here}. `, `此处写作 ${here}。`];
  const shown = JSON.stringify(text.slice(0, 80));
  const words = `${timeMetrics.join(', ')} (.${statistics.join(' .')}); ${runMetrics.join(', ')}`;
  return userError(
    'bad-slo',
    `SLO ${shown} ${en}`,
    `SLO ${shown} ${zh}`,
    `${meant[0]}Write for example 'ttft.p99<2s', 'tpot.p90<50ms', 'failed<0.1%'. Metrics: ${words}`,
    `${meant[1]}例如 'ttft.p99<2s'、'tpot.p90<50ms'、'failed<0.1%'。可用指标：${words}`,
    '--slo',
  );
}

/** Whether a value keeps within the limit. */
export function withinLimit(slo: Slo, value: number): boolean {
  switch (slo.op) {
    case '<':
      return value < slo.limit;
    case '<=':
      return value <= slo.limit;
    case '>':
      return value > slo.limit;
    case '>=':
      return value >= slo.limit;
  }
}
