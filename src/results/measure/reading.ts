import { distributionOf, exactMethod, speedDistributionOf } from '../../core/index.ts';
import type { Counts, LoadShape, Silence, Steady, Summary } from '../../core/index.ts';
import { answeredWithin, measuredSpan, meanInFlight, perSec, requestDistributions } from './figures.ts';
import { countGood, goodputOf } from './goodput.ts';
import { foldRows } from './meter-state.ts';
import type { CountSources, MeterState } from './meter-state.ts';
import { collect, okOutcome, rowValues } from './request-table.ts';
import type { Slo } from './slo.ts';
import { countLimits } from './possible-count.ts';
import { steadyWindow } from './steady-window.ts';
import type { Window } from './steady-window.ts';

/** Everything of a summary that follows from the exchanges alone. */
export type Reading = Omit<
  Summary,
  | 'schema'
  | 'runId'
  | 'label'
  | 'source'
  | 'simulated'
  | 'partial'
  | 'stoppedBecause'
  | 'resumed'
  | 'model'
  | 'startedAt'
  | 'load'
  | 'printed'
  | 'printedLines'
  | 'alsoPrinted'
  | 'server'
  | 'devices'
  | 'client'
  | 'verdict'
>;

/** What must be known about a run to read its exchanges. */
export interface ReadingFrame {
  load: Pick<LoadShape, 'kind' | 'concurrency'>;
  stream: boolean;
  slos: readonly Slo[];
}

/** The word for the histogram in Summary.percentileMethod. */
export const histogramMethod = `${exactMethod}; itl: logarithmic buckets, relative error at most 0.1 %`;

/** The word for runs of so many requests that none is kept by itself. */
export const foldedMethod = 'logarithmic buckets, relative error at most 0.1 %';

/** What cannot be told where the server's counts are no counts. */
const perToken = {
  outputTokensPerSec: null,
  totalTokensPerSec: null,
  tpotMs: null,
  itlMs: null,
} as const satisfies Partial<Steady>;

/** A reading with what its counts cannot be. */
function counted(reading: Reading, { impossibleCounts, textlessAnswers }: MeterState['totals']): Reading {
  const told = {
    ...reading,
    ...(impossibleCounts > 0 && { impossibleCounts }),
    ...(textlessAnswers > 0 && { textlessAnswers }),
  };
  return withoutTokens(told);
}

/** Figures without those per token, where too many answers hold more tokens than they can. */
export function withoutTokens<T extends Reading>(told: T): T {
  const { impossibleCounts = 0, counts, steady, undisturbed } = told;
  if (impossibleCounts === 0 || impossibleCounts < countLimits.share * counts.ok) return told;
  return {
    ...told,
    ...perToken,
    outputTokens: null,
    userTokensPerSec: null,
    steady: steady === null ? null : { ...steady, ...perToken },
    ...(undisturbed !== undefined && { undisturbed: { ...undisturbed, outputTokensPerSec: null } }),
  };
}

/** Reads a state; `planned` null = as many as were recorded. */
export function readState(state: MeterState, frame: ReadingFrame, planned: number | null): Reading {
  return counted(readAll(state, frame, planned), state.totals);
}

function readAll(state: MeterState, frame: ReadingFrame, planned: number | null): Reading {
  const { totals } = state;
  // Once rows were given up, those that came since join them: one reading is over all requests alike.
  const folded = state.folded === null ? null : foldRows(state, frame.slos, frame.stream);
  const { table } = state;
  const span = folded === null ? measuredSpan(table) : folded.span;
  const durationMs = span === null ? null : span.toMs - span.fromMs;
  const counts = countsOf(state, planned);
  const input = known(state.inputSources) ? totals.inputTokens : null;
  const output = known(state.outputSources) ? totals.outputTokens : null;
  const ok = (row: number): boolean => table.outcome.at(row) === okOutcome;
  const over = (name: 'timeToAnswerMs' | 'inputTokens' | 'outputTokens') =>
    folded === null ? distributionOf(collect(table, rowValues[name], ok)) : folded.distribution(name);
  const distributions =
    folded?.distributions(frame.load, frame.stream) ?? requestDistributions(table, frame.load, frame.stream, null);
  const flow = state.flow.read(frame.load);
  const silences = state.silence.read();
  const good = folded === null ? countGood(table, frame.slos, frame.stream) : folded.good;
  return {
    counts,
    durationMs,
    requestsPerSec: perSec(state.counts.ok, durationMs),
    inputTokensPerSec: perSec(input, durationMs),
    outputTokensPerSec: perSec(output, durationMs),
    totalTokensPerSec: perSec(input === null || output === null ? null : input + output, durationMs),
    inputCharsPerSec: perSec(totals.inputChars, durationMs),
    outputCharsPerSec: perSec(totals.outputChars, durationMs),
    concurrencyAchieved: folded !== null ? folded.meanInFlight : span === null ? null : meanInFlight(table, span),
    ...distributions,
    itlMs: frame.stream ? state.gaps.distribution() : null,
    timeToAnswerMs: frame.stream && state.reasoned ? over('timeToAnswerMs') : null,
    inputTokens: over('inputTokens'),
    outputTokens: over('outputTokens'),
    userTokensPerSec:
      folded === null ? speedDistributionOf(collect(table, rowValues.userTokensPerSec, ok)) : folded.speeds(),
    cachedInputRatio: totals.cacheableTokens > 0 ? totals.cachedTokens / totals.cacheableTokens : null,
    goodput: goodputOf(good, frame.slos, { issued: counts.issued, durationMs }),
    // No stretch is steady of a run in which ever more requests are under way.
    steady:
      folded === null && !flow.rising ? steadyOf(state, frame, distributions.latencyMs?.mean ?? null, silences) : null,
    flow,
    ...silencesOf(state, frame, silences, { span, output, whole: folded === null }),
    ...retriesOf(state),
    percentileMethod: folded !== null ? foldedMethod : state.gaps.collapsed ? histogramMethod : exactMethod,
    tokenSource: { input: wordFor(state.inputSources), output: wordFor(state.outputSources) },
  };
}

function retriesOf({ retries }: MeterState): Pick<Reading, 'retries'> {
  if (retries.requests === 0 && retries.askedToWait === 0) return {};
  return { retries: { ...retries, longestWaitMs: retries.askedToWait > 0 ? retries.longestWaitMs : null } };
}

function countsOf(state: MeterState, planned: number | null): Counts {
  const { ok, failed, cancelled, dropped } = state.counts;
  const recorded = ok + failed + cancelled + dropped;
  const all = Math.max(planned ?? recorded, recorded);
  return {
    planned: all,
    issued: all - dropped,
    ok,
    failed,
    cancelled,
    dropped,
    unaccounted: all - recorded,
    byProblem: Object.fromEntries([...state.byProblem].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** What is said of silences, and of the run without those that ended. */
function silencesOf(
  state: MeterState,
  frame: ReadingFrame,
  silences: Silence[],
  { span, output, whole }: { span: Window | null; output: number | null; whole: boolean },
): Pick<Reading, 'silences' | 'undisturbed'> {
  if (silences.length === 0 || span === null) return {};
  if (!whole || !silences.some(({ back }) => back)) return { silences };
  const quietMs = silences.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  const leftMs = span.toMs - span.fromMs - quietMs;
  const { latencyMs, ttftMs } = requestDistributions(state.table, frame.load, frame.stream, null, silences);
  return {
    silences,
    undisturbed: {
      requestsPerSec: perSec(state.counts.ok, leftMs),
      outputTokensPerSec: perSec(output, leftMs),
      latencyMs,
      ttftMs,
    },
  };
}

function steadyOf(
  state: MeterState,
  frame: ReadingFrame,
  meanLatencyMs: number | null,
  silences: readonly Silence[],
): Steady | null {
  const { table } = state;
  const sent = (row: number): boolean => !Number.isNaN(table.sent.at(row));
  const window = steadyWindow(frame.load, {
    dueMs: table.due.toArray(),
    sentMs: collect(table, (t, row) => t.sent.at(row), sent),
    endMs: collect(table, (t, row) => t.end.at(row), sent),
    meanLatencyMs,
    silences,
  });
  if (window === null) return null;
  const { fromMs, toMs } = window;
  const spanMs = toMs - fromMs;
  const input = known(state.inputSources) ? state.inputArrivals.between(fromMs, toMs) : null;
  const output = known(state.outputSources) ? state.outputArrivals.between(fromMs, toMs) : null;
  return {
    fromMs,
    toMs,
    requestsPerSec: perSec(answeredWithin(table, window), spanMs),
    inputTokensPerSec: perSec(input, spanMs),
    outputTokensPerSec: perSec(output, spanMs),
    totalTokensPerSec: perSec(input === null || output === null ? null : input + output, spanMs),
    concurrencyAchieved: meanInFlight(table, window),
    ...requestDistributions(table, frame.load, frame.stream, window, silences),
    itlMs: frame.stream ? state.gaps.between(fromMs, toMs) : null,
  };
}

/** A sum of tokens is known only when somebody counted every ok request. */
function known(sources: CountSources): boolean {
  return sources.nobody === 0 && sources.server + sources.client > 0;
}

function wordFor(sources: CountSources): 'server' | 'client' | 'mixed' | null {
  if (sources.server > 0 && sources.client > 0) return 'mixed';
  if (sources.server > 0) return 'server';
  return sources.client > 0 ? 'client' : null;
}
