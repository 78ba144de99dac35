import type { JsonFormat } from '../reading/file-format.ts';
import { field, numberIn, numbersIn } from '../reading/json-text.ts';
import { PointDraft } from '../reading/point-draft.ts';
import { putDistributions } from '../reading/put-distributions.ts';
import { settleMindie } from './text-reader.ts';

/** MindIE's `results_per_request_*.json`: everything the tables were made of, so it is computed again from there. */
export const mindieRequestsJson: JsonFormat = {
  tool: 'mindie',
  matches(value) {
    if (!(value instanceof Map) || value.size === 0) return false;
    const [first] = value.values();
    return field(first, 'req_latency') !== undefined && field(first, 'latency') !== undefined;
  },
  read(values) {
    const draft = new PointDraft('mindie', 1);
    const columns = {
      latencyMs: [] as number[],
      ttftMs: [] as number[],
      itlMs: [] as number[],
      tpotMs: [] as number[],
      inputTokens: [] as number[],
      outputTokens: [] as number[],
      userTokensPerSec: [] as number[],
    };
    let requests = 0;
    for (const request of values.flatMap((value) => (value instanceof Map ? [...value.values()] : []))) {
      const latency = numberIn(field(request, 'req_latency'));
      const [first, ...gaps] = numbersIn(field(request, 'latency'));
      if (latency === null || first === undefined) continue;
      requests++;
      columns.latencyMs.push(latency);
      columns.ttftMs.push(first);
      for (const gap of gaps) columns.itlMs.push(gap);
      const [input, output] = [numberIn(field(request, 'input_len')), numberIn(field(request, 'output_len'))];
      if (input !== null) columns.inputTokens.push(input);
      if (output === null) continue;
      columns.outputTokens.push(output);
      if (latency > 0) columns.userTokensPerSec.push((output / latency) * 1000);
      if (output > 1) columns.tpotMs.push((latency - first) / (output - 1));
    }
    putDistributions(draft, columns);
    draft.derived('counts.ok', requests);
    settleMindie(draft);
    draft.stream = columns.itlMs.length > 0 ? true : null;
    return requests === 0 ? [] : [draft];
  },
};
