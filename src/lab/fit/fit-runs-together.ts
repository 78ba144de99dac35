import { say } from '../../core/index.ts';
import type { Exchange, Phrase, Summary } from '../../core/index.ts';
import { fitRuns, measuredRun } from '../../advice/fit/index.ts';
import type { MeasuredRun, RunsFit } from '../../advice/fit/index.ts';
import { schedulers } from '../../engine/sim/index.ts';
import { findEntry, openSweep, readExchanges, readTelemetry } from '../../results/store/index.ts';
import type { StoredRun } from '../../results/store/index.ts';
import { summaryOfRun } from '../read-run.ts';
import { isForeign } from '../results/is-foreign.ts';
import { nameOf } from './fit-document.ts';
import type { FittedEntry } from './fit-document.ts';
import type { TraceAsk } from './fit-requests.ts';

/** Runs that a fit can read, with their summaries. */
export interface ReadRuns {
  runs: MeasuredRun[];
  summaries: Summary[];
}

/**
 * The runs that these words name, where all are of the store, of a real server, and tell the moments of their tokens; null = they are not, or there is
 * only one.
 */
export async function storedRuns(names: readonly string[], store: string): Promise<ReadRuns | null> {
  const stored: StoredRun[] = [];
  for (const word of names) {
    if (await isForeign(word)) return null;
    const entry = await findEntry(store, word);
    if (entry.kind !== 'run') stored.push(...(await openSweep(store, entry.dir)).runs);
    else stored.push(entry);
  }
  if (stored.length < 2 || stored.some(({ record }) => record.simulated)) return null;
  const runs: MeasuredRun[] = [];
  const summaries: Summary[] = [];
  for (const run of stored) {
    const read = await readRun(run);
    if (read === null) return null;
    runs.push(read);
    summaries.push(await summaryOfRun(run));
  }
  return { runs, summaries };
}

/** A run of the store as a fit reads it; null = its answers do not tell their tokens. */
export async function readRun(run: StoredRun): Promise<MeasuredRun | null> {
  const exchanges: Exchange[] = [];
  for await (const exchange of readExchanges(run)) exchanges.push(exchange);
  const { plan } = run.record;
  const server = { cpuMs: await processorMs(run), steps: null, tpotMs: null, prefillMs: null };
  const read = measuredRun(plan.label ?? run.record.runId, plan.load, exchanges, server);
  return read !== null && tellsSteps(read) ? read : null;
}

/** Requests with fewer tokens than this in the mean say too little of steps. */
const leastTokens = 8;

/** Whether a run's requests were read in enough pieces. */
export function tellsSteps({ requests }: Pick<MeasuredRun, 'requests'>): boolean {
  const reads = requests.reduce((sum, { gapsMs }) => sum + gapsMs.length, 0);
  return reads >= leastTokens * requests.length;
}

/** What the server's own process took of a processor between the first and the last look at its metrics; null = it does not say. */
export async function processorMs(run: StoredRun): Promise<number | null> {
  const seen: number[] = [];
  for await (const line of readTelemetry(run)) {
    const { kind, cpuSecondsTotals: totals } = line;
    if (kind === 'server' && Array.isArray(totals))
      seen.push(totals.reduce((sum: number, one) => sum + Number(one), 0));
  }
  const grown = 1000 * ((seen.at(-1) ?? 0) - (seen[0] ?? 0));
  return seen.length > 1 && grown > 0 ? grown : null;
}

/** What would tell a constant, in words and as what to type behind `dyno run URL`. */
const telling: Readonly<Record<string, { why: Phrase; words: string }>> = {
  p1: {
    why: { en: 'all prompts are alike', zh: '提示词长度都相近' },
    words: '--input-tokens 2000 --output-tokens 32 --concurrency 2 -n 24',
  },
  m: {
    why: { en: 'no prompt is long', zh: '没有长提示词' },
    words: '--input-tokens 6000 --output-tokens 64 --concurrency 4 -n 24',
  },
  k: {
    why: { en: 'no load holds many tokens in the KV cache', zh: '没有让 KV 缓存持有大量 token 的负载' },
    words: '--input-tokens 2000 --output-tokens 256 --concurrency 32 -n 96',
  },
  c: {
    why: { en: 'no load has many in the batch with short prompts', zh: '没有短提示词、大批次的负载' },
    words: '--input-tokens 64 --output-tokens 128 --concurrency 64 -n 192',
  },
  bend: {
    why: { en: 'no load fills the batch', zh: '没有占满批次的负载' },
    words: '--input-tokens 64 --output-tokens 64 --concurrency BATCH -n 768',
  },
  'front token': {
    why: { en: 'no load fills the front', zh: '没有使前端满载的负载' },
    words: '--input-tokens 64 --output-tokens 64 --concurrency BATCH -n 768',
  },
};

/** Fits one server to all runs together, and says what they do not tell. */
export function fitTogether(title: string, runs: readonly MeasuredRun[], ask: TraceAsk): FittedEntry {
  const fit = fitRuns(runs, ask);
  const { errors } = fit.doubt;
  const { batchSetting } = schedulers[ask.scheduler];
  const batch = ask.settings[batchSetting];
  const name = nameOf(title);
  const intervals = Object.fromEntries(fit.constants.map((found) => [found.name, found.interval]));
  return {
    id: name,
    title,
    profile: {
      ...fit.profile,
      name,
      title: title.slice(0, 200),
      model: name,
      source: `dyno fit: ${runs.length} runs together, ${runs
        .map((run) => run.name)
        .join(', ')
        .slice(0, 300)}`,
      date: ask.date,
      fit: {
        fittedTo: `${runs.length} runs together`,
        heldOutError: null,
        intervals,
        reach: fit.reach,
        doubt: fit.doubt,
      },
      notes: notesOf(fit),
    },
    maxBatchSize: batch === undefined ? null : Number(batch),
    maxBatchSizeFrom: batch === undefined ? 'not-reached' : 'given',
    limit: batch === undefined ? 'none' : 'batch',
    used: runs.flatMap(({ concurrency }) => concurrency ?? []),
    excluded: [],
    intervals,
    residual: Math.max(errors.outputTokensPerSec, errors.tpotMeanMs, errors.latencyP50Ms),
    heldOut: null,
    interpolation: null,
    next: null,
    unknown: unknownOf(fit, Number(batch ?? fit.profile.maxBatchSize), ask.lang),
  };
}

function unknownOf({ constants }: RunsFit, batch: number, lang: TraceAsk['lang']): NonNullable<FittedEntry['unknown']> {
  return constants.flatMap(({ name, known }) => {
    const tells = telling[name];
    if (known || tells === undefined) return [];
    return [
      { constant: name, why: say(tells.why, lang), run: `dyno run URL ${tells.words.replace('BATCH', String(batch))}` },
    ];
  });
}

function notesOf({ constants, reach }: RunsFit): string[] {
  const guessed = constants.filter(({ known }) => !known).map(({ name }) => name);
  return [
    `Fitted on prompts of ${reach.promptTokens.join(' to ')} tokens, answers of ${reach.outputTokens.join(' to ')}, up to ${Math.round(reach.inFlight)} in flight.`,
    ...(guessed.length > 0 ? [`Not identified, so at what is usual: ${guessed.join(', ')}.`] : []),
  ];
}
