import { distributionOf } from '../../core/index.ts';
import type { JsonFormat } from '../reading/file-format.ts';
import { field, numberIn, numbersIn } from '../reading/json-text.ts';
import { PointDraft } from '../reading/point-draft.ts';
import { putDistribution } from '../reading/put-distribution.ts';
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
      latency: [] as number[],
      ttft: [] as number[],
      gaps: [] as number[],
      tpot: [] as number[],
      input: [] as number[],
      output: [] as number[],
      speed: [] as number[],
    };
    let requests = 0;
    for (const request of values.flatMap((value) => (value instanceof Map ? [...value.values()] : []))) {
      const latency = numberIn(field(request, 'req_latency'));
      const [first, ...gaps] = numbersIn(field(request, 'latency'));
      if (latency === null || first === undefined) continue;
      requests++;
      columns.latency.push(latency);
      columns.ttft.push(first);
      for (const gap of gaps) columns.gaps.push(gap);
      const [input, output] = [numberIn(field(request, 'input_len')), numberIn(field(request, 'output_len'))];
      if (input !== null) columns.input.push(input);
      if (output === null) continue;
      columns.output.push(output);
      if (latency > 0) columns.speed.push((output / latency) * 1000);
      if (output > 1) columns.tpot.push((latency - first) / (output - 1));
    }
    putDistribution(draft, 'latencyMs', distributionOf(columns.latency));
    putDistribution(draft, 'ttftMs', distributionOf(columns.ttft));
    putDistribution(draft, 'itlMs', distributionOf(columns.gaps));
    putDistribution(draft, 'tpotMs', distributionOf(columns.tpot));
    putDistribution(draft, 'inputTokens', distributionOf(columns.input));
    putDistribution(draft, 'outputTokens', distributionOf(columns.output));
    putDistribution(draft, 'userTokensPerSec', distributionOf(columns.speed));
    draft.derived('counts.ok', requests);
    settleMindie(draft);
    draft.stream = columns.gaps.length > 0 ? true : null;
    return requests === 0 ? [] : [draft];
  },
};
