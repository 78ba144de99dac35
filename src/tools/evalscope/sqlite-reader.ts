import { PointDraft } from '../reading/point-draft.ts';
import { putDistributions } from '../reading/put-distributions.ts';
import type { RequestTimes } from '../reading/request-course.ts';
import { sqliteRows } from '../reading/sqlite-table.ts';
import type { SqliteValue } from '../reading/sqlite-table.ts';

/**
 * evalscope's `benchmark_data.db`: one row per request. Times are seconds on a clock without a date; the pickled answers
 * are never touched. Figures are computed here by our definitions, so they stand beside benchmark_summary.json's digits
 * and do not replace them.
 */
export function evalscopeDatabase(bytes: Uint8Array): PointDraft[] {
  const columns = {
    latencyMs: [] as number[],
    ttftMs: [] as number[],
    tpotMs: [] as number[],
    itlMs: [] as number[],
    inputTokens: [] as number[],
    outputTokens: [] as number[],
    userTokensPerSec: [] as number[],
  };
  const requests: RequestTimes[] = [];
  let [failed, streamed, from, to] = [0, 0, Infinity, -Infinity];
  for (const row of sqliteRows(bytes, 'result')) {
    const number = (name: string): number | null => numberOf(row.get(name));
    const start = number('start_time');
    const end = number('completed_time');
    const succeeded = row.get('success') === 1 || row.get('success') === 'True';
    if (start !== null && start > 0 && end !== null && end >= start) {
      from = Math.min(from, start);
      to = Math.max(to, end);
      const first = number('first_chunk_latency');
      const heardMs = succeeded && first !== null ? [(start + first) * 1000] : [];
      for (const gap of heardMs.length === 0 ? [] : gapsOf(row)) heardMs.push(heardMs.at(-1)! + gap);
      const failure = succeeded ? null : ('in-stream-error' as const);
      requests.push({ sentMs: start * 1000, heardMs, endMs: end * 1000, failure });
    }
    const latency = number('latency');
    if (!succeeded || latency === null) {
      failed++;
      continue;
    }
    columns.latencyMs.push(latency * 1000);
    const [input, output, first] = [
      number('prompt_tokens'),
      number('completion_tokens'),
      number('first_chunk_latency'),
    ];
    if (input !== null) columns.inputTokens.push(input);
    if (output !== null) columns.outputTokens.push(output);
    if (output !== null && latency > 0) columns.userTokensPerSec.push(output / latency);
    const between = gapsOf(row);
    if (between.length === 0) continue;
    streamed++;
    for (const gap of between) columns.itlMs.push(gap);
    if (first !== null) columns.ttftMs.push(first * 1000);
    if (first !== null && output !== null && output > 1) columns.tpotMs.push(((latency - first) * 1000) / (output - 1));
  }
  const draft = new PointDraft('evalscope', 1);
  draft.part = 'requests';
  draft.requests = requests;
  const ok = columns.latencyMs.length;
  draft.derived('counts.ok', ok);
  draft.derived('counts.failed', failed);
  putDistributions(draft, columns);
  draft.stream = ok === 0 ? null : streamed > 0;
  draft.tokenSource = 'server';
  if (to > from) addRates(draft, ok, columns.inputTokens, columns.outputTokens, to - from);
  return ok + failed === 0 ? [] : [draft];
}

function addRates(
  draft: PointDraft,
  ok: number,
  input: readonly number[],
  output: readonly number[],
  seconds: number,
): void {
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  draft.derived('durationMs', seconds * 1000);
  draft.derived('requestsPerSec', ok / seconds);
  draft.derived('outputTokensPerSec', sum(output) / seconds);
  draft.derived('totalTokensPerSec', (sum(input) + sum(output)) / seconds);
}

/** Gaps between chunks in ms: stored as such since 1.7, as chunk times before. */
function gapsOf(row: ReadonlyMap<string, SqliteValue>): number[] {
  const direct = listOf(row.get('inter_token_latencies'));
  if (direct.length > 0) return direct.map((gap) => gap * 1000);
  const times = listOf(row.get('chunk_times'));
  return times.slice(1).map((time, i) => (time - times[i]!) * 1000);
}

function listOf(text: SqliteValue | undefined): number[] {
  if (typeof text !== 'string' || !text.startsWith('[')) return [];
  return text
    .slice(1, -1)
    .split(',')
    .filter((value) => value.trim() !== '')
    .map(Number)
    .filter((value) => Number.isFinite(value));
}

function numberOf(value: SqliteValue | undefined): number | null {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}
