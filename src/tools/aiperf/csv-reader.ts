import { means } from '../reading/fact-key.ts';
import type { DistributionName, FactKey } from '../reading/fact-key.ts';
import type { CsvFormat } from '../reading/file-format.ts';
import { PointDraft } from '../reading/point-draft.ts';
import { aiperfDistributions, settleAiperf } from './json-reader.ts';
import { statisticOf } from '../evalscope/labels.ts';

/** "Time to First Token (ms)" is what the JSON calls time_to_first_token; in another unit it is not known here. */
function distributionOf(name: string): DistributionName | undefined {
  const label = /^(.*?)(?: \(CO-aware\))? \((?:ms|tokens|tokens\/sec\/user)\)$/.exec(name)?.[1] ?? '';
  return new Map(Object.entries(aiperfDistributions)).get(label.toLowerCase().replaceAll(' ', '_'));
}

const single: Record<string, { key: FactKey; scale: number }> = {
  'Benchmark Duration (sec)': { key: 'durationMs', scale: 1000 },
  'Request Count': { key: 'counts.ok', scale: 1 },
  'Request Count (count)': { key: 'counts.ok', scale: 1 },
  'Error Request Count': { key: 'counts.failed', scale: 1 },
  'Completed Requests (Success + Error)': { key: 'counts.ended', scale: 1 },
  'Request Throughput (requests/sec)': { key: 'requestsPerSec', scale: 1 },
  'Request Throughput (per sec)': { key: 'requestsPerSec', scale: 1 },
  'Output Token Throughput (tokens/sec)': { key: 'outputTokensPerSec', scale: 1 },
  'Output Token Throughput (per sec)': { key: 'outputTokensPerSec', scale: 1 },
  'Input Token Throughput (tokens/sec)': { key: 'inputTokensPerSec', scale: 1 },
  'Total Token Throughput (tokens/sec)': { key: 'totalTokensPerSec', scale: 1 },
  'Total Input Sequence Length (tokens)': { key: 'totals.inputTokens', scale: 1 },
  'Total Output Sequence Length (tokens)': { key: 'totals.outputTokens', scale: 1 },
};

/** `profile_export_aiperf.csv` and genai-perf's CSV: a table of distributions, then a table of single values. */
export const aiperfCsv: CsvFormat = {
  tool: 'aiperf',
  matches: (rows) => rows[0]?.cells[0] === 'Metric' && rows.some((row) => distributionOf(row.cells[0]!) !== undefined),
  read(rows, complain) {
    const draft = new PointDraft(
      rows.some((row) => row.cells[0] === 'Benchmark Duration (sec)') ? 'aiperf' : 'genai-perf',
      1,
    );
    let header: string[] = [];
    for (const { cells, line } of rows) {
      const [name = ''] = cells;
      const distribution = distributionOf(name);
      if (name === 'Metric') header = cells;
      else if (distribution !== undefined) {
        header.forEach((column, i) => {
          const statistic = i === 0 ? null : statisticOf(column);
          if (statistic !== null && cells[i] !== undefined)
            draft.putText(means(`${distribution}.${statistic}`), cells[i]!, line, complain);
        });
      } else if (Object.hasOwn(single, name) && cells[1] !== undefined)
        draft.putText(single[name]!, cells[1], line, complain);
    }
    const ended = draft.get('counts.ended');
    const ok = draft.get('counts.ok');
    if (!draft.facts.has('counts.failed') && ended !== null && ok !== null) draft.derived('counts.failed', ended - ok);
    draft.stream = draft.facts.has('ttftMs.mean') ? true : null;
    settleAiperf(draft);
    return draft.facts.size < 3 ? [] : [draft];
  },
};
