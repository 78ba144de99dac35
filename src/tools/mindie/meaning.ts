import { printable } from '../../core/index.ts';
import { means } from '../reading/fact-key.ts';
import type { DistributionName, FactKey } from '../reading/fact-key.ts';
import type { Complain } from '../reading/imported.ts';
import { readNumber } from '../reading/number-text.ts';
import type { PointDraft } from '../reading/point-draft.ts';
import { statisticOf } from '../evalscope/labels.ts';

/** MindIE's performance metrics in its order; those that a summary has no figure of are kept under their own name. */
export const mindieMetrics: readonly (readonly [name: string, unit: string, key?: DistributionName])[] = [
  ['FirstTokenTime', ' ms', 'ttftMs'],
  ['DecodeTime', ' ms', 'itlMs'],
  ['LastDecodeTime', ' ms'],
  ['MaxDecodeTime', ' ms'],
  ['GenerateTime', ' ms', 'latencyMs'],
  ['InputTokens', '', 'inputTokens'],
  ['GeneratedTokens', '', 'outputTokens'],
  ['GeneratedTokenSpeed', ' token/s', 'userTokensPerSec'],
  ['GeneratedCharacters', ''],
  ['Tokenizer', ' ms'],
  ['Detokenizer', ' ms'],
  ['CharactersPerToken', ''],
  ['PostProcessingTime', ' ms'],
  ['ForwardTime', ' ms'],
  ['PrefillBatchsize', ''],
  ['DecoderBatchsize', ''],
  ['QueueWaitTime', ' μs'],
];

/** The performance metrics of MindIE and AISBench, and where a summary has a place for them. */
const metrics = new Map<string, DistributionName | null>([
  ...mindieMetrics.map(([name, , key]) => [name, key ?? null] as const),
  ['PrefillTokenThroughput', null],
  ['TTFT', 'ttftMs'],
  ['TPOT', 'tpotMs'],
  ['ITL', 'itlMs'],
  ['E2EL', 'latencyMs'],
  ['OutputTokens', 'outputTokens'],
  ['OutputTokenThroughput', 'userTokensPerSec'],
]);

/** Whether a cell names a performance metric of MindIE or AISBench. */
export function isPerfMetric(name: string): boolean {
  return metrics.has(name);
}

/** One cell of the performance table: metric, statistic (`average`, `SLO_P90` …) and text with unit. */
export function putPerfCell(
  draft: PointDraft,
  metric: string,
  statistic: string,
  text: string,
  line: number,
  complain: Complain,
): void {
  const bare = text.replace(/^\/\s*\S*$/, '').trim();
  if (bare === '' || bare === '-') return;
  const number = readNumber(bare);
  const scale = number === null ? null : unitScale(number.unit);
  if (number === null || scale === null || number.value < 0) {
    const shown = printable(text).slice(0, 60);
    complain(line, {
      en: `${metric} ${statistic}: not a usable number: "${shown}"`,
      zh: `${metric} ${statistic}：不是可用的数字："${shown}"`,
    });
    return;
  }
  const fact = { value: number.value, digits: number.digits, line };
  const word = statisticOf(statistic);
  const name = metrics.get(metric) ?? null;
  if (name !== null && word !== null) draft.put(means(`${name}.${word}`, scale), fact);
  else if (name !== null && statistic === 'N') {
    if (name === 'latencyMs') draft.samples ??= fact.value;
    draft.put(means(`server.${metric}.n`), fact);
  } else draft.put(means(`server.${metric}.${word ?? statistic.toLowerCase()}` as FactKey, scale), fact);
}

/** ms is 1; counts and rates have no scale of their own. */
function unitScale(unit: string): number | null {
  switch (unit) {
    case '':
    case 'ms':
    case 'token/s':
    case 'tokens/s':
    case 'tok/s':
      return 1;
    case 's':
      return 1000;
    case 'us':
    case 'μs':
    case 'µs':
      return 0.001;
    default:
      return null;
  }
}

const common: Record<string, FactKey> = {
  TimeElapsed: 'durationMs',
  Failed: 'counts.failed',
  Returned: 'counts.ok',
  Total: 'counts.planned',
  Concurrency: 'load.concurrency',
  lpct: 'server.lpctMs',
  Throughput: 'requestsPerSec',
  GenerateSpeed: 'outputTokensPerSec',
  OutputGenerateSpeed: 'outputTokensPerSec',
  InputGenerateSpeed: 'inputTokensPerSec',
  TotalGenerateSpeed: 'totalTokensPerSec',
  GenerateSpeedPerClient: 'server.generateSpeedPerClient',
  'Benchmark Duration': 'durationMs',
  'Total Requests': 'counts.planned',
  'Failed Requests': 'counts.failed',
  'Success Requests': 'counts.ok',
  'Max Concurrency': 'load.concurrency',
  'Request Throughput': 'requestsPerSec',
  'Total Input Tokens': 'totals.inputTokens',
  'Total generated tokens': 'totals.outputTokens',
  'Total Generated Tokens': 'totals.outputTokens',
  'Input Token Throughput': 'inputTokensPerSec',
  'Output Token Throughput': 'outputTokensPerSec',
  'Total Token Throughput': 'totalTokensPerSec',
  'Prefill Token Throughput': 'server.prefillTokensPerSec',
};

/** One line of the common table; unknown names are left alone. AISBench's Concurrency is what was reached, not what was asked. */
export function putCommon(
  draft: PointDraft,
  tool: 'mindie' | 'aisbench',
  name: string,
  text: string,
  line: number,
  complain: Complain,
): boolean {
  if (name === 'ModelName') {
    draft.model = printable(text).slice(0, 200);
    return true;
  }
  if (name === 'DataSource') {
    draft.server.set('dataSource', printable(text.split(/[/\\]/).at(-1) ?? '').slice(0, 200));
    return true;
  }
  if (name === 'CurrentTime') {
    draft.server.set('currentTime', printable(text).slice(0, 40));
    return true;
  }
  const key =
    tool === 'aisbench' && name === 'Concurrency'
      ? 'concurrencyAchieved'
      : Object.hasOwn(common, name)
        ? common[name]!
        : null;
  if (key === null) return name === 'accuracy' || name === 'Total' || isPerfMetric(name);
  // "8792( 100.0% )" and "8792[ 100.0% ]": the share behind the count says nothing new.
  const bare = text.replace(/\s*[([].*$/, '').replace(/\s+(req|token|tokens)\/s$/, '');
  const seconds = /\d\s*s$/.test(bare);
  draft.putText(means(key, key === 'durationMs' && seconds ? 1000 : 1), bare.replace(/\s*(ms|s)$/, ''), line, complain);
  return true;
}
