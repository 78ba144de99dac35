import type { MeasuredRun, RunRequest } from '../../advice/fit/index.ts';
import type { Summary } from '../../core/index.ts';
import type { FormatName, RequestTimes } from '../../tools/index.ts';
import { importPaths } from '../results/import-files.ts';
import { isForeign } from '../results/is-foreign.ts';
import { tellsSteps } from './fit-runs-together.ts';
import type { ReadRuns } from './fit-runs-together.ts';

/** Anybody may have written the file: longer prompts and answers are none. */
const most = { input: 1e7, output: 1e6 };
/** A read brings no more tokens than this, however far a server guesses ahead. */
const mostTokensInRead = 32;

/** The runs in these files of other tools, where each tells its requests token by token; null = one does not, or there is only one. */
export async function foreignRuns(names: readonly string[], format: FormatName): Promise<ReadRuns | null> {
  for (const word of names) if (!(await isForeign(word))) return null;
  const { sweeps } = await importPaths(names, format);
  const points = sweeps.flatMap((sweep) => sweep.points.map((summary, i) => ({ summary, times: sweep.requests[i]! })));
  const runs = points.flatMap(({ summary, times }) => runOf(summary, times) ?? []);
  if (runs.length < 2 || runs.length < points.length) return null;
  return { runs, summaries: points.map(({ summary }) => summary) };
}

function runOf({ load, label, source, runId }: Summary, times: readonly RequestTimes[]): MeasuredRun | null {
  const isClosed = load.kind === 'closed' && load.concurrency !== null;
  if (load.kind === null || (load.kind === 'closed' && !isClosed)) return null;
  const startMs = times.reduce((first, { sentMs }) => Math.min(first, sentMs), Infinity);
  const requests = times.flatMap((one) => requestOf(one, startMs)).toSorted((a, b) => a.sentMs - b.sentMs);
  const answered = times.filter(({ failure }) => failure === null).length;
  const run: MeasuredRun = {
    name: label ?? source.file ?? runId,
    concurrency: isClosed ? load.concurrency : null,
    requests,
    warmup: [],
    handsOver: false,
    server: null,
  };
  return requests.length > 0 && requests.length === answered && tellsSteps(run) ? run : null;
}

function requestOf(
  { sentMs, heardMs, lastHeardMs, failure, tokens, endMs }: RequestTimes,
  startMs: number,
): RunRequest[] {
  const firstMs = heardMs[0];
  if (lastHeardMs !== undefined || failure !== null || tokens === undefined || firstMs === undefined) return [];
  const { input, output } = tokens;
  const isCount = (value: number, limit: number): boolean => Number.isInteger(value) && value >= 1 && value <= limit;
  if (!isCount(input, most.input) || !isCount(output, most.output) || output > mostTokensInRead * heardMs.length)
    return [];
  const gapsMs = heardMs.slice(1).map((atMs, i) => atMs - heardMs[i]!);
  if (![sentMs, endMs, firstMs, ...gapsMs].every(Number.isFinite) || firstMs <= sentMs || gapsMs.some((gap) => gap < 0))
    return [];
  return [
    {
      sentMs: sentMs - startMs,
      promptTokens: input,
      cachedTokens: 0,
      outputTokens: output,
      headersMs: null,
      ttftMs: firstMs - sentMs,
      latencyMs: endMs - sentMs,
      gapsMs,
    },
  ];
}
