import { printable } from '../../core/index.ts';
import { labels, means } from '../reading/fact-key.ts';
import type { Meaning } from '../reading/fact-key.ts';
import type { Complain } from '../reading/imported.ts';
import type { JsonFormat } from '../reading/file-format.ts';
import { field, JsonNumber, nameIn, numbersIn, textIn } from '../reading/json-text.ts';
import type { JsonObject, JsonValue } from '../reading/json-text.ts';
import { PointDraft } from '../reading/point-draft.ts';
import { putDistributions } from '../reading/put-distributions.ts';
import { failureOf } from '../reading/request-course.ts';
import type { RequestTimes } from '../reading/request-course.ts';
import { servingStatistic } from './labels.ts';
import { settleServing } from './text-reader.ts';

/** Keys of vLLM's --save-result and SGLang's JSON lines. */
const keys: ReadonlyMap<string, Meaning> = labels([
  [means('counts.ok'), 'completed'],
  [means('counts.failed'), 'failed'],
  [means('counts.planned'), 'num_prompts'],
  [means('load.concurrency'), 'max_concurrency'],
  [means('load.ratePerSec'), 'request_rate'],
  [means('durationMs', 1000), 'duration'],
  [means('totals.inputTokens'), 'total_input_tokens'],
  [means('totals.outputTokens'), 'total_output_tokens'],
  [means('server.retokenizedOutputTokens'), 'total_output_tokens_retokenized'],
  [means('requestsPerSec'), 'request_throughput'],
  [means('goodput.requestsPerSec'), 'request_goodput; request_goodput:'],
  [means('inputTokensPerSec'), 'input_throughput'],
  [means('outputTokensPerSec'), 'output_throughput'],
  [means('totalTokensPerSec'), 'total_token_throughput; total_throughput'],
  [means('concurrencyAchieved'), 'concurrency'],
  [means('server.acceptLength'), 'accept_length'],
  [means('server.peakOutputTokensPerSec'), 'max_output_tokens_per_s'],
  [means('server.peakConcurrentRequests'), 'max_concurrent_requests'],
]);

/** `vllm bench serve --save-result` (also in append mode) and `sglang.bench_serving --output-file`. */
export const servingJson: JsonFormat = {
  tool: 'vllm',
  matches: (value) =>
    value instanceof Map &&
    value.has('completed') &&
    (value.has('request_throughput') || value.has('output_throughput')),
  read: (values, complain) => values.flatMap((value) => (value instanceof Map ? [pointOf(value, complain)] : [])),
};

function pointOf(object: JsonObject, complain: Complain): PointDraft {
  const line = object.get('completed') instanceof JsonNumber ? (object.get('completed') as JsonNumber).line : 1;
  const draft = new PointDraft('vllm', line);
  for (const [key, value] of object) {
    const meaning = keys.get(key) ?? statisticMeaning(key);
    if (meaning === undefined || meaning === null) continue;
    if (meaning.key === 'load.ratePerSec' && typeof value === 'string') draft.server.set('requestRate', 'inf');
    else draft.putJson(meaning, value, complain);
  }
  const backend = textIn(object.get('backend'));
  if (object.has('total_throughput') || object.has('mean_e2e_latency_ms') || backend?.startsWith('sglang') === true) {
    draft.server.set('backend', printable(backend ?? 'sglang').slice(0, 60));
  }
  draft.model = nameIn(textIn(object.get('model_id')) ?? field(object.get('server_info'), 'model_path'));
  draft.label = nameIn(textIn(object.get('label')) ?? object.get('tag'));
  noteFailures(object, draft);
  noteRequests(object, draft);
  draft.requests = timesIn(object);
  settleServing(draft);
  return draft;
}

/** "mean_ttft_ms", "p99_itl_ms", read as the block's "Mean TTFT (ms)"; undefined = another key, null = a figure a summary does not carry. */
function statisticMeaning(key: string): Meaning | null | undefined {
  return servingStatistic(key.replace(/_ms$/, ' (ms)').replaceAll('_', ' ').replace(' including ', ' incl. '));
}

/** Detailed files list an error text per request: one that is not empty failed. */
function noteFailures(object: JsonObject, draft: PointDraft): void {
  const errors = object.get('errors');
  if (draft.facts.has('counts.failed') || !Array.isArray(errors) || errors.length === 0) return;
  const failed = errors.filter((error) => typeof error === 'string' && error !== '').length;
  if (numbersIn(object.get('output_lens')).length === errors.length) draft.derived('counts.failed', failed);
}

/**
 * Lists with one entry per request: vLLM 0.32 saves `latencies` always (also where no E2EL was asked for) and the
 * others with --save-detailed. A request that failed has an error text; without that list its latency is 0.
 */
function noteRequests(object: JsonObject, draft: PointDraft): void {
  const ok = draft.get('counts.ok');
  const [errors, latencies] = [object.get('errors'), numbersIn(object.get('latencies'))];
  const good = Array.isArray(errors) ? errors.map((error) => error === '') : latencies.map((latency) => latency > 0);
  if (ok === null || ok === 0 || good.filter(Boolean).length !== ok) return;
  const take = (name: string, scale: number): number[] => {
    const list = object.get(name);
    if (!Array.isArray(list) || list.length !== good.length) return [];
    const kept = list.filter((_, i) => good[i]);
    return numbersIn(kept.some(Array.isArray) ? kept.flat() : kept).map((value) => value * scale);
  };
  putDistributions(draft, {
    latencyMs: take('latencies', 1000),
    ttftMs: take('ttfts', 1000),
    itlMs: take('itls', 1000),
    inputTokens: take('input_lens', 1),
    outputTokens: take('output_lens', 1),
  });
}

/** When each request was sent and heard: vLLM's --save-detailed, on the clock of its client. */
function timesIn(object: JsonObject): RequestTimes[] {
  const starts = numbersIn(object.get('start_times'));
  const ttfts = numbersIn(object.get('ttfts'));
  const [itls, errors, texts] = [object.get('itls'), object.get('errors'), object.get('generated_texts')];
  const [inputs, outputs] = ['input_lens', 'output_lens'].map((name) => numbersIn(object.get(name)));
  const lengthsTold = inputs!.length === starts.length && outputs!.length === starts.length;
  if (starts.length === 0 || ttfts.length !== starts.length) return [];
  if (!Array.isArray(itls) || itls.length !== starts.length) return [];
  const textsKept = Array.isArray(texts) && texts.some((text) => text !== '');
  return starts.map((start, i): RequestTimes => {
    const words = Array.isArray(errors) ? textIn(errors[i]) : null;
    const failure = words === null || words === '' ? null : failureOf(words);
    const text = textsKept ? textIn(texts[i]) : null;
    const sentMs = start * 1000;
    let at = sentMs + ttfts[i]! * 1000;
    const heardMs = failure !== null && ttfts[i] === 0 ? [] : [at];
    for (const gap of heardMs.length === 0 ? [] : numbersIn(itls[i])) heardMs.push((at += gap * 1000));
    return {
      sentMs,
      heardMs,
      endMs: heardMs.at(-1) ?? sentMs,
      failure,
      ...(lengthsTold && { tokens: { input: inputs![i]!, output: outputs![i]! } }),
      ...(text !== null && { held: { chars: text.length, events: heardMs.length } }),
    };
  });
}

/** vLLM's `*.pytorch.json`: one record per metric, values in lists. */
export const pytorchJson: JsonFormat = {
  tool: 'vllm',
  matches: (value) =>
    Array.isArray(value) && value.length > 0 && field(value[0], 'metric', 'benchmark_values') !== undefined,
  read(values, complain) {
    const draft = new PointDraft('vllm', 1);
    for (const record of values.flatMap((value) => (Array.isArray(value) ? value : [])))
      takeRecord(record, draft, complain);
    settleServing(draft);
    return draft.facts.size === 0 ? [] : [draft];
  },
};

function takeRecord(record: JsonValue, draft: PointDraft, complain: Complain): void {
  const name = textIn(field(record, 'metric', 'name')) ?? '';
  const [value] = numbersIn(field(record, 'metric', 'benchmark_values'));
  const meaning = keys.get(name) ?? statisticMeaning(name);
  if (meaning !== undefined && meaning !== null && value !== undefined) {
    draft.putJson(meaning, new JsonNumber(value, String(value), 1), complain);
  }
  draft.model ??= nameIn(field(record, 'model', 'name'));
  const args = field(record, 'benchmark', 'extra_info', 'args');
  for (const [key, target] of [
    ['num_prompts', 'counts.planned'],
    ['max_concurrency', 'load.concurrency'],
  ] as const) {
    if (!draft.facts.has(target)) draft.putJson(means(target), field(args, key), complain);
  }
}
