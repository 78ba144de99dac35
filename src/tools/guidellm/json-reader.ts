import { printable } from '../../core/index.ts';
import { means } from '../reading/fact-key.ts';
import type { Complain } from '../reading/imported.ts';
import type { JsonFormat } from '../reading/json-format.ts';
import { field, numberIn, textIn } from '../reading/json-text.ts';
import type { JsonValue } from '../reading/json-text.ts';
import { PointDraft } from '../reading/point-draft.ts';
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
  draft.model = printable(textIn(field(backend, 'model')) ?? '').slice(0, 200) || null;
  settleGuidellm(draft, textIn(field(strategy, 'type_')) ?? '', level);
  return draft;
}
