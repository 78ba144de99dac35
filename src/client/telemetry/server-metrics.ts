import { leastOf, mostOf } from '../../core/index.ts';

/** Whose names a page uses. */
export type ServerFlavour = 'vllm' | 'sglang' | 'mindie' | 'xinference' | 'llamacpp';

/** What a server said of itself at one moment. Totals count from the server's start. null = it does not say. */
export interface ServerReading {
  flavour: ServerFlavour;
  /** Requests in the running batch and waiting for it, over all engines of the server. */
  running: number | null;
  waiting: number | null;
  /** Share of the KV cache in use, 0 to 1; of several engines the fullest. */
  kvUsageRatio: number | null;
  preemptionsTotal: number | null;
  /** Tokens looked up in the prefix cache and found there. */
  prefixQueriesTotal: number | null;
  prefixHitsTotal: number | null;
  /** A hit rate that the server computed itself, where it tells no counters. */
  prefixHitRatio: number | null;
  promptTokensTotal: number | null;
  generationTokensTotal: number | null;
  finishedTotal: number | null;
  /** Tokens that the KV cache holds; null = not told. */
  kvCapacityTokens: number | null;
  /** Processor seconds that each process of the page has used, user and system; absent = it does not say. */
  cpuSecondsTotals?: readonly number[];
  /** When its oldest process began, in seconds since 1970; absent = it does not say. */
  startedAtSec?: number;
}

interface Names {
  running: readonly string[];
  waiting: readonly string[];
  kvUsage: readonly string[];
  preemptions: readonly string[];
  prefixQueries: readonly string[];
  prefixHits: readonly string[];
  prefixRate: readonly string[];
  promptTokens: readonly string[];
  generationTokens: readonly string[];
  finished: readonly string[];
  kvTokens: readonly string[];
}

/**
 * Names by flavour, newest first: the first that a page has counts, so that a release which prints the old and the new
 * name side by side is not counted twice. Counters are found with and without `_total`.
 */
const names: Readonly<Record<ServerFlavour, Names>> = {
  vllm: {
    running: ['vllm:num_requests_running'],
    waiting: ['vllm:num_requests_waiting'],
    kvUsage: ['vllm:kv_cache_usage_perc', 'vllm:gpu_cache_usage_perc'],
    preemptions: ['vllm:num_preemptions'],
    prefixQueries: ['vllm:prefix_cache_queries', 'vllm:gpu_prefix_cache_queries'],
    prefixHits: ['vllm:prefix_cache_hits', 'vllm:gpu_prefix_cache_hits'],
    prefixRate: ['vllm:gpu_prefix_cache_hit_rate'],
    promptTokens: ['vllm:prompt_tokens'],
    generationTokens: ['vllm:generation_tokens'],
    finished: ['vllm:request_success'],
    kvTokens: [],
  },
  sglang: {
    running: ['sglang:num_running_reqs'],
    waiting: ['sglang:num_queue_reqs'],
    kvUsage: ['sglang:token_usage'],
    preemptions: ['sglang:num_retracted_requests', 'sglang:num_retracted_reqs_total'],
    prefixQueries: [],
    prefixHits: ['sglang:cached_tokens'],
    prefixRate: ['sglang:cache_hit_rate'],
    promptTokens: ['sglang:prompt_tokens'],
    generationTokens: ['sglang:generation_tokens'],
    finished: ['sglang:num_requests'],
    kvTokens: ['sglang:max_total_num_tokens'],
  },
  mindie: {
    running: ['num_requests_running'],
    waiting: ['num_requests_waiting'],
    kvUsage: ['npu_cache_usage_perc'],
    preemptions: ['num_preemptions'],
    prefixQueries: ['all_radix_match_num'],
    prefixHits: ['npu_radix_match_hit_num'],
    prefixRate: ['npu_prefix_cache_hit_rate'],
    promptTokens: ['prompt_tokens'],
    generationTokens: ['generation_tokens'],
    finished: ['request_success'],
    kvTokens: [],
  },
  // Its worker's port tells tokens and requests; its API's port tells only that it is one.
  xinference: {
    running: ['xinference:model_serve_count'],
    waiting: [],
    kvUsage: [],
    preemptions: [],
    prefixQueries: [],
    prefixHits: [],
    prefixRate: [],
    promptTokens: ['xinference:input_tokens_total_counter'],
    generationTokens: ['xinference:generate_tokens_total', 'xinference:output_tokens_total_counter'],
    finished: ['xinference:model_request_total'],
    kvTokens: [],
  },
  // Its prompt tokens are those that were not in the cache.
  llamacpp: {
    running: ['llamacpp:requests_processing'],
    waiting: ['llamacpp:requests_deferred'],
    kvUsage: ['llamacpp:kv_cache_usage_ratio'],
    preemptions: [],
    prefixQueries: [],
    prefixHits: ['llamacpp:prompt_tokens_cached'],
    prefixRate: [],
    promptTokens: ['llamacpp:prompt_tokens'],
    generationTokens: ['llamacpp:tokens_predicted'],
    finished: [],
    kvTokens: [],
  },
};

/** Reads a /metrics page of vLLM (any release), SGLang, MindIE, an XInference worker or llama.cpp's server; null = the page is none of theirs. */
export function readServerMetrics(text: string): ServerReading | null {
  const samples = readPage(text);
  const has = (start: string): boolean => samples.some((sample) => sample.name.startsWith(start));
  const flavour = has('vllm:')
    ? 'vllm'
    : has('sglang:') || has('sglang_')
      ? 'sglang'
      : has('num_requests_running') || has('npu_cache_usage')
        ? 'mindie'
        : has('xinference:generate_tokens') || has('xinference:model_request')
          ? 'xinference'
          : has('llamacpp:')
            ? 'llamacpp'
            : null;
  return flavour === null ? null : readingOf(samples, flavour);
}

function readingOf(samples: readonly PageSample[], flavour: ServerFlavour): ServerReading {
  const own = names[flavour];
  const series = (wanted: readonly string[]): number[] | null => {
    for (const name of wanted) {
      // SGLang's colon becomes an underscore behind some proxies.
      const spellings = [
        name,
        `${name}_total`,
        name.replace('sglang:', 'sglang_'),
        `${name.replace('sglang:', 'sglang_')}_total`,
      ];
      for (const spelling of spellings) {
        const found = samples.filter((sample) => sample.name === spelling && Number.isFinite(sample.value));
        if (found.length > 0) return found.map((sample) => sample.value);
      }
    }
    return null;
  };
  const sum = (wanted: readonly string[]): number | null =>
    series(wanted)?.reduce((total, one) => total + one, 0) ?? null;
  const ratio = (wanted: readonly string[]): number | null => {
    const values = series(wanted);
    const most = values === null ? null : mostOf(values);
    return most === null || most < 0 || most > 1.001 ? null : Math.min(most, 1);
  };
  const hits = sum(own.prefixHits);
  const read = sum(own.promptTokens);
  const promptTokensTotal = flavour === 'llamacpp' && read !== null ? read + (hits ?? 0) : read;
  // These count their hits against all prompt tokens.
  const countsAll = flavour === 'sglang' || (flavour === 'llamacpp' && hits !== null);
  const [cpu, started] = [
    // SGLang's are of its tokenizer and its detokenizer, which are its front.
    series(['process_cpu_seconds', 'sglang:process_cpu_seconds']),
    series(['process_start_time_seconds']),
  ];
  return {
    flavour,
    running: sum(own.running),
    waiting: sum(own.waiting),
    kvUsageRatio: ratio(own.kvUsage),
    preemptionsTotal: sum(own.preemptions),
    prefixQueriesTotal: countsAll ? promptTokensTotal : sum(own.prefixQueries),
    prefixHitsTotal: hits,
    prefixHitRatio: ratio(own.prefixRate),
    promptTokensTotal,
    generationTokensTotal: sum(own.generationTokens),
    finishedTotal: sum(own.finished),
    kvCapacityTokens: sum(own.kvTokens) ?? vllmCapacity(samples),
    ...(cpu !== null && { cpuSecondsTotals: cpu }),
    ...(started !== null && { startedAtSec: leastOf(started) }),
  };
}

/** vLLM tells its cache as labels of an info metric: blocks times tokens per block, over all engines. */
function vllmCapacity(samples: readonly PageSample[]): number | null {
  let tokens: number | null = null;
  for (const { name, labels } of samples) {
    if (name !== 'vllm:cache_config_info') continue;
    const blocks = Number(labels['num_gpu_blocks']);
    const size = Number(labels['block_size']);
    if (Number.isInteger(blocks) && Number.isInteger(size) && blocks > 0) tokens = (tokens ?? 0) + blocks * size;
  }
  return tokens;
}

/** One sample of a page in Prometheus' text format. */
interface PageSample {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

const mostSamples = 200_000;
const line = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+-?\d+)?$/;

/** The samples of a /metrics page. Histogram buckets are left out: nobody here reads them and they are most of a page. */
function readPage(text: string): PageSample[] {
  const samples: PageSample[] = [];
  for (const raw of text.split('\n')) {
    if (raw === '' || raw.startsWith('#')) continue;
    const match = line.exec(raw.trim());
    if (match === null || match[1]!.endsWith('_bucket')) continue;
    const value = numberOf(match[3]!);
    if (value !== null) samples.push({ name: match[1]!, labels: labelsOf(match[2] ?? ''), value });
    if (samples.length >= mostSamples) break;
  }
  return samples;
}

function numberOf(text: string): number | null {
  if (/^\+?Inf$/i.test(text)) return Infinity;
  if (/^-Inf$/i.test(text)) return -Infinity;
  const value = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  return Number.isNaN(value) ? null : value;
}

function labelsOf(text: string): Record<string, string> {
  const labels: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const match of text.matchAll(/([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g)) {
    labels[match[1]!] = match[2]!.replaceAll(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char));
  }
  return labels;
}
