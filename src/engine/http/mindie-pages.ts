import { filledSettings } from '../sim/index.ts';
import type { EngineCounters, EngineProfile } from '../sim/index.ts';
import { escapeLabel, metricWriter } from './metrics-page.ts';
import { Histogram } from './engine-metrics.ts';
import type { EngineMetrics } from './engine-metrics.ts';

/** A page that answers a GET. */
export interface Page {
  type: string;
  body: string;
}

/** What the pages are made from. */
export interface MindieState {
  models: readonly string[];
  profile: EngineProfile;
  counters: EngineCounters;
  meters: EngineMetrics;
  /** Calls whose body was in order. */
  requests: number;
  upSec: number;
}

const json = (value: unknown): Page => ({ type: 'application/json', body: JSON.stringify(value) });
const empty: Page = { type: 'text/plain', body: '' };

/** What MindIE's management port shows; null = no such page. */
export function managementPage(path: string, state: MindieState): Page | null {
  const { models, counters, meters, profile } = state;
  if (['/v2/health/live', '/v2/health/ready', '/health', '/v1/health'].includes(path)) return empty;
  if (/^\/health\/timed(-\d{1,6})?$/.test(path)) return empty;
  const ofModel = /^\/v2\/models\/([^/]+)\/(ready|getSlotCount)$/.exec(path);
  if (ofModel !== null && models.includes(ofModel[1]!)) {
    if (ofModel[2] === 'ready') return empty;
    const total = batchOf(profile);
    return json({ total_slots: total, free_slots: Math.max(0, total - counters.running) });
  }
  switch (path) {
    case '/v1/config':
      return json({ modelName: models[0], ...memoryOf(state), cacheBlockSize: counters.kvBlockSize });
    case '/info':
      return json({ model_id: models[0], max_batch_size: batchOf(profile), version: 'llmdyno-simulated' });
    case '/metrics-json':
      return json({
        // Moving averages over the last 1000, in whole milliseconds as MindIE has them.
        TTFT: whole(meters.lastFirstTokenMs.mean()),
        TBT: whole(meters.lastBetweenTokensMs.mean()),
        processing_inference_request_num: counters.running,
        waiting_inference_request_num: counters.waiting,
        remain_blocks: counters.kvTotalBlocks === null ? null : counters.kvTotalBlocks - counters.kvUsedBlocks,
      });
    default:
      return null;
  }
}

/** What the business port tells of the settings, by which a client can know them; null = no such page. */
export function settingsPage(path: string, state: MindieState): Page | null {
  const { models, profile } = state;
  if (path === '/v2') {
    const told = filledSettings(
      profile,
      'mindie',
      profile.scheduler?.name === 'mindie' ? profile.scheduler.settings : {},
    );
    const extensions = {
      prefill_policy_type: 0,
      decode_policy_type: 0,
      max_prefill_batch_size: told['maxPrefillBatchSize'],
      max_prefill_tokens: told['maxPrefillTokens'],
    };
    return json({ name: 'llmdyno-engine', version: 'llmdyno-simulated', extensions });
  }
  const model = /^\/v2\/models\/([^/]+)(\/config)?$/.exec(path);
  if (model === null || !models.includes(model[1]!)) return null;
  if (model[2] === undefined) return json({ name: model[1], platform: 'llmdyno-simulated', inputs: [], outputs: [] });
  const { maxSeqLen: max_seq_len, npuMemSize: npu_mem_size, cpuMemSize: cpu_mem_size } = memoryOf(state);
  return json({ model_name: model[1], max_seq_len, npu_mem_size, cpu_mem_size, model_instance_type: 'Standard' });
}

/** Memory as MindIE's settings say it, in whole GiB a card; null = without limit, or not known. */
function memoryOf({
  profile,
  counters,
}: MindieState): Record<'maxSeqLen' | 'npuMemSize' | 'cpuMemSize', number | null> {
  const { kvTotalBlocks: blocks, kvBlockSize: size } = counters;
  const bytes = profile.kvBytesPerTokenPerCard ?? null;
  const gib = (count: number): number | null => (bytes === null ? null : Math.floor((count * size * bytes) / 2 ** 30));
  const host = hostBlocks(profile);
  return {
    maxSeqLen: blocks === null ? null : blocks * size,
    npuMemSize: blocks === null ? null : gib(blocks),
    cpuMemSize: host === 0 ? 0 : gib(host),
  };
}

function hostBlocks({ scheduler }: EngineProfile): number {
  const blocks = scheduler?.settings['cpuBlocks'] ?? scheduler?.settings['num_cpu_blocks'];
  return typeof blocks === 'number' ? blocks : 0;
}

function whole(value: number | null): number | null {
  return value === null ? null : Math.floor(value);
}

function batchOf({ scheduler, maxBatchSize }: EngineProfile): number {
  const told = scheduler?.settings['maxBatchSize'];
  return typeof told === 'number' ? told : maxBatchSize;
}

/** MindIE's buckets end earlier than vLLM's: overload runs over their top. */
const firstTokenMost = 10;
const betweenTokensMost = 2.5;
const latencyMost = 60;

/** MindIE's /metrics: its own names, without a prefix, from the state of the simulated engine. */
export function mindieMetrics({ models, profile, counters, meters, requests, upSec }: MindieState): string {
  const { one, histogram } = metricWriter('', `model_name="${escapeLabel(models[0]!)}"`);
  const { stop, length, abort } = meters.finished;
  const ended = stop + length + abort;
  const perSec = (tokens: number): number => (upSec > 0 ? tokens / upSec : 0);
  const gauge = (name: string, help: string, value: number): string => one(name, 'gauge', help, value);
  const counter = (name: string, help: string, value: number): string => one(name, 'counter', help, value);
  // A cache without a limit has no share in use.
  const usage =
    counters.kvUsageRatio === null
      ? ''
      : gauge('npu_cache_usage_perc', 'Share of the NPU blocks in use.', counters.kvUsageRatio);
  return [
    counter('request_received_total', 'Requests received.', requests),
    counter('request_success_total', 'Requests that ended well.', stop + length),
    counter('request_failed_total', 'Requests that failed.', abort),
    gauge('failed_request_perc', 'Share of the ended requests that failed.', ended === 0 ? 0 : abort / ended),
    gauge('num_requests_running', 'Requests in the running batch.', counters.running),
    gauge('num_requests_waiting', 'Requests waiting to be admitted.', counters.waiting - counters.swapped),
    gauge('num_requests_swapped', 'Requests swapped out to the host.', counters.swapped),
    gauge(
      'avg_prompt_throughput_toks_per_s',
      'Prompt tokens per second since the start.',
      perSec(counters.promptTokensTotal),
    ),
    gauge(
      'avg_generation_throughput_toks_per_s',
      'Generated tokens per second since the start.',
      perSec(counters.generationTokensTotal),
    ),
    histogram(
      'time_to_first_token_seconds',
      'Time to the first token.',
      upTo(meters.timeToFirstTokenSec, firstTokenMost),
    ),
    histogram(
      'time_per_output_token_seconds',
      'Time between two tokens.',
      upTo(meters.interTokenSec, betweenTokensMost),
    ),
    histogram('e2e_request_latency_seconds', 'Time from arrival to the end.', upTo(meters.latencySec, latencyMost)),
    histogram('request_prompt_tokens', 'Prompt tokens of a request.', meters.promptTokens),
    histogram('request_generation_tokens', 'Tokens of an answer.', meters.generationTokens),
    counter('prompt_tokens_total', 'Prompt tokens prefilled.', counters.promptTokensTotal),
    counter('generation_tokens_total', 'Tokens generated.', counters.generationTokensTotal),
    counter('num_preemptions_total', 'Preemptions since the start.', counters.preemptionsTotal),
    usage,
    gauge(
      'cpu_cache_usage_perc',
      'Share of the host blocks in use; no host memory counts as none.',
      hostShare(profile, counters),
    ),
    gauge('npu_prefix_cache_hit_rate', 'Share of the looked-up prompt tokens found.', counters.prefixFoundRatio ?? 0),
    counter('all_radix_match_num', 'Prompt tokens looked up in the prefix cache.', counters.prefixLookedUpTokensTotal),
    counter('npu_radix_match_hit_num', 'Prompt tokens found in the prefix cache.', counters.prefixFoundTokensTotal),
  ].join('');
}

function hostShare(profile: EngineProfile, { swappedBlocks }: EngineCounters): number {
  const blocks = hostBlocks(profile);
  return blocks > 0 ? swappedBlocks / blocks : 0;
}

/** The same histogram without the buckets above a bound. */
function upTo(data: Histogram, most: number): Histogram {
  const bounds = data.bounds.filter((bound) => bound <= most);
  const cut = new Histogram(bounds);
  bounds.forEach((_, i) => (cut.counts[i] = data.counts[i]!));
  cut.sum = data.sum;
  cut.count = data.count;
  return cut;
}
