import { exactMethod } from '../../core/index.ts';
import { means } from '../reading/fact-key.ts';
import type { DistributionName, FactKey } from '../reading/fact-key.ts';
import type { Complain } from '../reading/imported.ts';
import type { JsonFormat } from '../reading/file-format.ts';
import { field, JsonNumber, nameIn, textIn } from '../reading/json-text.ts';
import type { JsonObject, JsonValue } from '../reading/json-text.ts';
import { PointDraft } from '../reading/point-draft.ts';
import { statisticOf } from '../evalscope/labels.ts';

/** aiperf and genai-perf: tag → distribution. Their "inter token latency" is a mean per request: our TPOT. */
export const aiperfDistributions: Record<string, DistributionName> = {
  request_latency: 'latencyMs',
  time_to_first_token: 'ttftMs',
  inter_token_latency: 'tpotMs',
  inter_chunk_latency: 'itlMs',
  input_sequence_length: 'inputTokens',
  output_sequence_length: 'outputTokens',
  e2e_output_token_throughput: 'userTokensPerSec',
  effective_latency: 'latencyFromDueMs',
};

/** aiperf and genai-perf: tag → single figure, in its `avg`. */
export const aiperfScalars: Record<string, FactKey> = {
  request_throughput: 'requestsPerSec',
  output_token_throughput: 'outputTokensPerSec',
  input_token_throughput: 'inputTokensPerSec',
  total_token_throughput: 'totalTokensPerSec',
  request_count: 'counts.ok',
  error_request_count: 'counts.failed',
  benchmark_duration: 'durationMs',
  effective_concurrency: 'concurrencyAchieved',
  goodput: 'goodput.requestsPerSec',
  total_isl: 'totals.inputTokens',
  total_osl: 'totals.outputTokens',
};

/** `profile_export_aiperf.json` and `profile_export_genai_perf.json`. */
export const aiperfJson: JsonFormat = {
  tool: 'aiperf',
  matches: (value) =>
    field(value, 'request_latency', 'avg') !== undefined && field(value, 'request_throughput', 'avg') !== undefined,
  read: (values, complain) => values.flatMap((value) => (value instanceof Map ? [pointOf(value, complain)] : [])),
};

function pointOf(object: JsonObject, complain: Complain): PointDraft {
  const draft = new PointDraft(
    object.has('aiperf_version') || object.has('schema_version') ? 'aiperf' : 'genai-perf',
    1,
  );
  for (const [tag, metric] of object) {
    if (Object.hasOwn(aiperfScalars, tag)) {
      const key = aiperfScalars[tag]!;
      draft.putJson(means(key, key === 'durationMs' ? 1000 : 1), field(metric, 'avg'), complain);
    } else if (Object.hasOwn(aiperfDistributions, tag)) takeMetric(draft, aiperfDistributions[tag]!, metric, complain);
  }
  // Errors are only listed when there are any.
  if (draft.tool === 'aiperf' && !draft.facts.has('counts.failed')) draft.derived('counts.failed', errorsIn(object));
  const config = object.get('input_config');
  const concurrency = find(config, 'concurrency', 6);
  if (concurrency instanceof JsonNumber) draft.putJson(means('load.concurrency'), concurrency, complain);
  const rate = find(config, 'request_rate', 6);
  if (rate instanceof JsonNumber) draft.putJson(means('load.ratePerSec'), rate, complain);
  const requests = find(config, 'requests', 6) ?? find(config, 'request_count', 6);
  if (requests instanceof JsonNumber) draft.putJson(means('counts.planned'), requests, complain);
  draft.model = nameIn(find(config, 'name', 6));
  draft.startedAt = /^\d{4}-\d\d-\d\dT[\d:.]+$/.exec(textIn(object.get('start_time')) ?? '')?.[0] ?? null;
  draft.stream = field(config, 'endpoint', 'streaming') === true || draft.facts.has('ttftMs.mean') ? true : null;
  settleAiperf(draft);
  return draft;
}

/** What aiperf's JSON and CSV share. */
export function settleAiperf(draft: PointDraft): void {
  draft.percentileMethod = exactMethod;
  draft.tokenSource = 'client';
  draft.kind =
    draft.get('load.ratePerSec') !== null ? 'open' : draft.get('load.concurrency') !== null ? 'closed' : null;
}

function takeMetric(draft: PointDraft, name: DistributionName, metric: JsonValue, complain: Complain): void {
  if (!(metric instanceof Map)) return;
  const unit = textIn(metric.get('unit'));
  const scale = unit === 'sec' || unit === 's' ? 1000 : unit === 'ns' ? 1e-6 : 1;
  for (const [key, value] of metric) {
    const statistic = statisticOf(key);
    if (statistic !== null) draft.putJson(means(`${name}.${statistic}`, scale), value, complain);
  }
}

function errorsIn(object: JsonObject): number {
  const errors = object.get('error_summary');
  if (!Array.isArray(errors)) return 0;
  return errors.reduce<number>((sum, error) => {
    const count = field(error, 'count');
    return sum + (count instanceof JsonNumber ? count.value : 0);
  }, 0);
}

/** The first field of that name in a configuration whose layout changes from release to release. */
function find(value: JsonValue | undefined, name: string, depth: number): JsonValue | undefined {
  if (depth === 0) return undefined;
  if (value instanceof Map) {
    const own = value.get(name);
    if (own !== undefined && own !== null && !(own instanceof Map)) return own;
    for (const child of value.values()) {
      const found = find(child, name, depth - 1);
      if (found !== undefined) return found;
    }
  }
  if (Array.isArray(value)) {
    for (const child of value.slice(0, 20)) {
      const found = find(child, name, depth - 1);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}
