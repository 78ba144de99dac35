import type { ProblemCode } from '../../core/index.ts';
import { means } from '../reading/fact-key.ts';
import type { Complain } from '../reading/imported.ts';
import type { JsonFormat } from '../reading/file-format.ts';
import { field, nameIn, numberIn, textIn } from '../reading/json-text.ts';
import type { JsonValue } from '../reading/json-text.ts';
import { PointDraft } from '../reading/point-draft.ts';
import { failureOf } from '../reading/request-course.ts';
import type { RequestTimes } from '../reading/request-course.ts';
import { statisticOf } from '../evalscope/labels.ts';
import { guidellmDistributions, guidellmRates, settleGuidellm } from './meaning.ts';

/** guidellm's JSON report: one point per benchmark, figures of the successful requests. */
export const guidellmJson: JsonFormat = {
  tool: 'guidellm',
  matches: (value) =>
    Array.isArray(field(value, 'benchmarks')) &&
    field((field(value, 'benchmarks') as JsonValue[])[0], 'metrics') !== undefined,
  read(values, complain) {
    return values.flatMap((value) => {
      const benchmarks = field(value, 'benchmarks');
      return Array.isArray(benchmarks) ? benchmarks.map((benchmark) => pointOf(benchmark, complain)) : [];
    });
  },
};

function pointOf(benchmark: JsonValue, complain: Complain): PointDraft {
  const draft = new PointDraft('guidellm', 1);
  const metrics = field(benchmark, 'metrics');
  const counts = field(metrics, 'request_totals') ?? field(benchmark, 'run_stats', 'requests_made');
  draft.putJson(means('counts.ok'), field(counts, 'successful'), complain);
  draft.putJson(means('counts.failed'), field(counts, 'errored'), complain);
  draft.putJson(means('counts.cancelled'), field(counts, 'incomplete'), complain);
  draft.putJson(means('counts.planned'), field(counts, 'total'), complain);
  draft.putJson(means('durationMs', 1000), field(benchmark, 'duration'), complain);
  for (const [name, key] of Object.entries(guidellmRates)) {
    draft.putJson(means(key), field(metrics, name, 'successful', 'mean'), complain);
  }
  for (const [name, { name: distribution, scale }] of Object.entries(guidellmDistributions)) {
    const figures = field(metrics, name, 'successful');
    for (const statistic of ['mean', 'min', 'max'] as const)
      draft.putJson(means(`${distribution}.${statistic}`, scale), field(figures, statistic), complain);
    const percentiles = field(figures, 'percentiles');
    if (!(percentiles instanceof Map)) continue;
    for (const [key, value] of percentiles) {
      const statistic = statisticOf(key);
      if (statistic !== null) draft.putJson(means(`${distribution}.${statistic}`, scale), value, complain);
    }
  }
  const strategy = field(benchmark, 'config', 'strategy') ?? field(benchmark, 'args', 'strategy');
  const level = numberIn(field(strategy, 'streams')) ?? numberIn(field(strategy, 'rate'));
  const backend = field(benchmark, 'config', 'backend') ?? field(benchmark, 'args', 'backend');
  draft.model = nameIn(field(backend, 'model'));
  settleGuidellm(draft, textIn(field(strategy, 'type_')) ?? '', level);
  const requests = requestsIn(benchmark);
  // A part of them says nothing of how many were under way. The list has a few more than the totals where guidellm was stopped.
  if (requests.length >= (draft.get('counts.planned') ?? Infinity)) draft.requests = requests;
  return draft;
}

/** How guidellm files its requests, and what became of those: what was under way when it stopped is incomplete. */
const outcomes: readonly (readonly [string, (error: string) => ProblemCode | null])[] = [
  ['successful', () => null],
  ['errored', failureOf],
  ['incomplete', () => 'cancelled'],
];

/** Single requests, where the report was not told to leave them out or to keep a sample of them. */
function requestsIn(benchmark: JsonValue): RequestTimes[] {
  const stoppedMs = 1000 * (numberIn(field(benchmark, 'end_time')) ?? Infinity);
  return outcomes.flatMap(([name, failureFor]) => {
    const list = field(benchmark, 'requests', name);
    return Array.isArray(list) ? list.flatMap((one) => requestOf(one, failureFor, stoppedMs)) : [];
  });
}

/** Of a stream guidellm keeps the first and the last token's time and how many came, in seconds since 1970. */
function requestOf(
  one: JsonValue,
  failureFor: (error: string) => ProblemCode | null,
  stoppedMs: number,
): RequestTimes[] {
  const at = (name: string): number | null => {
    const sec = numberIn(field(one, 'info', 'timings', name));
    return sec === null ? null : sec * 1000;
  };
  const failure = failureFor(textIn(field(one, 'info', 'error')) ?? '');
  const sentMs = at('request_start') ?? at('resolve_start');
  const overMs = at('request_end') ?? at('resolve_end');
  if (sentMs === null || overMs === null || overMs < sentMs) return [];
  // It gathers what it let go of only seconds after it has stopped to listen.
  const endMs = failure === 'cancelled' ? Math.max(sentMs, Math.min(overMs, stoppedMs)) : overMs;
  const [firstMs, lastMs] = [at('first_token_iteration'), at('last_token_iteration')];
  const [input, output] = [numberIn(field(one, 'prompt_tokens')), numberIn(field(one, 'output_tokens'))];
  const chars = numberIn(field(one, 'output_metrics', 'text_characters'));
  const events = numberIn(field(one, 'info', 'timings', 'request_iterations'));
  return [
    {
      sentMs,
      heardMs: firstMs === null ? [] : [firstMs],
      ...(firstMs !== null && lastMs !== null && { lastHeardMs: Math.max(firstMs, lastMs) }),
      endMs,
      failure,
      ...(input !== null && output !== null && { tokens: { input, output } }),
      ...(output !== null && chars !== null && events !== null && { held: { chars, events } }),
    },
  ];
}
