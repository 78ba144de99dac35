import { means, normalLabel } from '../reading/fact-key.ts';
import type { JsonFormat } from '../reading/file-format.ts';
import { field, nameIn, numberIn, textIn } from '../reading/json-text.ts';
import type { JsonValue } from '../reading/json-text.ts';
import { PointDraft } from '../reading/point-draft.ts';
import { evalscopeColumns, evalscopeLabels, statisticOf } from './labels.ts';
import { settleEvalscope } from './text-reader.ts';

/** `benchmark_summary.json`: display labels as keys, which changed from release to release. */
export const evalscopeSummaryJson: JsonFormat = {
  tool: 'evalscope',
  matches: (value) =>
    value instanceof Map && [...value.keys()].filter((key) => evalscopeLabels.has(normalLabel(key))).length >= 5,
  read(values, complain) {
    return values.flatMap((value) => {
      if (!(value instanceof Map)) return [];
      const draft = new PointDraft('evalscope', 1);
      for (const [key, number] of value) {
        const meaning = evalscopeLabels.get(normalLabel(key));
        if (meaning !== undefined) draft.putJson(meaning, number, complain);
      }
      settleEvalscope(draft);
      return [draft];
    });
  },
};

/** `benchmark_percentile.json`: a row per percentile. It is half a point; files-together.ts joins it with its summary. */
export const evalscopePercentileJson: JsonFormat = {
  tool: 'evalscope',
  matches: (value) => Array.isArray(value) && value.length > 0 && field(value[0], 'Percentiles') !== undefined,
  read(values, complain) {
    const draft = new PointDraft('evalscope', 1);
    draft.part = 'percentiles';
    for (const row of values.flatMap((value) => (Array.isArray(value) ? value : []))) takeRow(row, draft, complain);
    settleEvalscope(draft);
    return draft.facts.size === 0 ? [] : [draft];
  },
};

function takeRow(row: JsonValue, draft: PointDraft, complain: Parameters<JsonFormat['read']>[1]): void {
  const statistic = statisticOf(textIn(field(row, 'Percentiles')) ?? '');
  if (!(row instanceof Map) || statistic === null) return;
  for (const [key, number] of row) {
    const column = evalscopeColumns.get(normalLabel(key));
    if (column !== undefined) draft.putJson(means(`${column.name}.${statistic}`, column.scale), number, complain);
  }
}

/** Files that evalscope writes beside its results and that hold no figure of a point. */
export const evalscopeAsideJson: JsonFormat = {
  tool: 'evalscope',
  matches: (_value, file) =>
    /(?:^|[/\\])(?:workload_throughput|workload_timeline|trace_summary|progress|speed_benchmark)\.json$/.test(file),
  read: () => [],
};

/** `benchmark_args.json`: no result, but it names model, planned requests and load of the files beside it. */
export const evalscopeArgsJson: JsonFormat = {
  tool: 'evalscope',
  matches: (value) =>
    value instanceof Map && value.has('parallel') && value.has('number') && value.has('dataset') && value.has('url'),
  read(values) {
    const [value] = values;
    const draft = new PointDraft('evalscope', 1);
    draft.part = 'settings';
    draft.model = nameIn(field(value, 'model'));
    const planned = numberIn(field(value, 'number'));
    if (planned !== null) draft.derived('counts.planned', planned);
    draft.stream = field(value, 'stream') === false ? false : null;
    return [draft];
  },
};
