import type { JsonFormat } from '../reading/file-format.ts';
import { field, JsonNumber, numberIn, numbersIn, valueLineOf } from '../reading/json-text.ts';
import type { JsonValue } from '../reading/json-text.ts';
import { PointDraft } from '../reading/point-draft.ts';
import { putDistributions } from '../reading/put-distributions.ts';
import { settleAisbench } from './text-reader.ts';
import { putCommon } from '../mindie/meaning.ts';

/** AISBench's `<dataset>.json`: the common table, `{ "Benchmark Duration": { "total": "40152.6953 ms" } … }`. */
export const aisbenchJson: JsonFormat = {
  tool: 'aisbench',
  matches: (value) =>
    value instanceof Map &&
    value.get('Benchmark Duration') instanceof Map &&
    value.get('Request Throughput') instanceof Map,
  read(values, complain) {
    return values.flatMap((value) => {
      if (!(value instanceof Map)) return [];
      const draft = new PointDraft('aisbench', 1);
      for (const [name, stages] of value) {
        if (!(stages instanceof Map)) continue;
        const stage = ['total', 'Total', 'stable'].find((word) => stages.has(word)) ?? [...stages.keys()][0] ?? '';
        const said = stages.get(stage);
        if (said instanceof JsonNumber) putCommon(draft, 'aisbench', name, said.digits, said.line, complain);
        else if (typeof said === 'string') putCommon(draft, 'aisbench', name, said, valueLineOf(stages), complain);
        if (stage === 'stable') draft.server.set('stage', stage);
      }
      settleAisbench(draft);
      return [draft];
    });
  },
};

/**
 * AISBench's `<dataset>_details.jsonl`: one record per request. Where it lists its time points, figures are computed again;
 * version 3.1 keeps those in `db_data/*.db` and the record only points there, which leaves counts and lengths.
 */
export const aisbenchDetailsJson: JsonFormat = {
  tool: 'aisbench',
  matches: (value) =>
    value instanceof Map &&
    value.has('success') &&
    (value.has('time_points') || (value.has('input_tokens') && value.has('output_tokens'))),
  read(values) {
    const draft = new PointDraft('aisbench', 1);
    draft.part = 'requests';
    const good = values.filter((value) => field(value, 'success') === true);
    draft.derived('counts.ok', good.length);
    draft.derived('counts.failed', values.length - good.length);
    const timed = good.flatMap((value) => timesOf(value));
    const counts = (name: string): number[] => good.flatMap((value) => numberIn(field(value, name)) ?? []);
    putDistributions(draft, {
      latencyMs: timed.map((times) => times.latencyMs),
      ttftMs: timed.map((times) => times.ttftMs),
      itlMs: timed.flatMap((times) => times.gapsMs),
      inputTokens: counts('input_tokens'),
      outputTokens: counts('output_tokens'),
    });
    settleAisbench(draft);
    if (timed.length > 0) draft.stream = timed.some((times) => times.gapsMs.length > 0);
    return [draft];
  },
};

/** Time points are seconds on one clock: the send, then one per event. */
function timesOf(value: JsonValue): { latencyMs: number; ttftMs: number; gapsMs: number[] }[] {
  const points = numbersIn(field(value, 'time_points'));
  if (points.length < 2) return [];
  const ms = points.map((point) => (point - points[0]!) * 1000);
  return [{ latencyMs: ms.at(-1)!, ttftMs: ms[1]!, gapsMs: ms.slice(2).map((at, i) => at - ms[i + 1]!) }];
}
