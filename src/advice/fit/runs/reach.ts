import type { Phrase } from '../../../core/index.ts';
import type { FittedReach } from '../../../engine/sim/index.ts';
import type { AskedLoad } from './play-run.ts';
import type { MeasuredRun } from './measured-run.ts';

/** Further than this beyond what was fitted is told. */
const stretch = 1.5;
/** More of the prompts from the cache than this beyond what was fitted is told. */
const cachedBeyond = 0.1;

/** What these runs reach. */
export function reachOf(runs: readonly MeasuredRun[]): FittedReach {
  const all = runs.flatMap(({ requests }) => requests);
  const range = (values: readonly number[]): [number, number] => [
    values.reduce((least, value) => Math.min(least, value), Infinity),
    values.reduce((most, value) => Math.max(most, value), 0),
  ];
  const promptTokens = range(all.map((request) => request.promptTokens));
  return {
    promptTokens,
    outputTokens: range(all.map((request) => request.outputTokens)),
    inFlight: Math.max(...runs.map((run) => inFlightOf(run))),
    cachedShare: Math.max(...runs.map(cachedShareOf)),
    promptsAlike: promptTokens[1] <= stretch * promptTokens[0],
    openLoop: runs.some(({ concurrency }) => concurrency === null),
  };
}

/** Requests of a run in the server at once, in the mean. */
export function inFlightOf({ concurrency, requests }: MeasuredRun): number {
  const endMs = requests.reduce((last, { sentMs, latencyMs }) => Math.max(last, sentMs + latencyMs), 0);
  const totalMs = requests.reduce((sum, { latencyMs }) => sum + latencyMs, 0);
  return concurrency === null ? totalMs / endMs : Math.min(concurrency, requests.length);
}

/** In what a load goes beyond what was fitted; `inFlight` = how many it has in the server. */
export function beyond(reach: FittedReach, load: AskedLoad, inFlight: number): Phrase[] {
  const words: Phrase[] = [];
  const outside = (
    values: readonly number[],
    [least, most]: readonly [number, number],
    en: string,
    zh: string,
  ): void => {
    const [low, high] = [Math.min(...values), Math.max(...values)];
    if (low * stretch >= least && high <= most * stretch) return;
    words.push({
      en: `${en} of ${low === high ? low : `${low} to ${high}`} tokens: fitted on ${least} to ${most}`,
      zh: `${zh} ${low === high ? low : `${low}–${high}`} token：拟合范围为 ${least}–${most}`,
    });
  };
  outside(
    load.requests.map(({ promptTokens }) => promptTokens),
    reach.promptTokens,
    'prompts',
    '提示词',
  );
  outside(
    load.requests.map(({ outputTokens }) => outputTokens),
    reach.outputTokens,
    'answers',
    '回答',
  );
  if (inFlight > stretch * reach.inFlight) {
    words.push({
      en: `${Math.round(inFlight)} in flight: fitted on up to ${Math.round(reach.inFlight)}`,
      zh: `在途 ${Math.round(inFlight)} 个请求：拟合数据最多 ${Math.round(reach.inFlight)} 个`,
    });
  }
  if (load.concurrency === null && reach.openLoop === false) {
    words.push({
      en: 'an open loop: fitted on closed ones, where requests seldom come one by one',
      zh: '开环负载：仅以闭环运行拟合，其中请求很少逐个到达',
    });
  }
  const cached = cachedShareOf(load);
  if (cached > reach.cachedShare + cachedBeyond) {
    words.push({
      en: `${Math.round(100 * cached)} % of the prompts from the prefix cache: fitted on ${Math.round(100 * reach.cachedShare)} %`,
      zh: `${Math.round(100 * cached)}% 的提示词来自前缀缓存：拟合数据为 ${Math.round(100 * reach.cachedShare)}%`,
    });
  }
  return words;
}

function cachedShareOf({ requests }: AskedLoad): number {
  const sum = (of: (request: AskedLoad['requests'][number]) => number): number =>
    requests.reduce((total, request) => total + of(request), 0);
  return sum(({ cachedTokens }) => cachedTokens) / sum(({ promptTokens }) => promptTokens);
}
