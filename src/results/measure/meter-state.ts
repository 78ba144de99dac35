import { inputTokensOf, outputTokensOf } from '../../core/index.ts';
import type { Exchange, ProblemCode, TokenCounts } from '../../core/index.ts';
import { FoldedRequests } from './folded-requests.ts';
import { FlowBook } from './flow.ts';
import { makeGapPool } from './gap-pool.ts';
import type { GapPool } from './gap-pool.ts';
import type { Shelf } from './column.ts';
import { addRequest, appendRequests, makeRequestTable } from './request-table.ts';
import type { RequestTable } from './request-table.ts';
import { SilenceBook } from './silence.ts';
import { possibleCount } from './possible-count.ts';
import type { Slo } from './slo.ts';
import { makeTimeBuckets } from './time-buckets.ts';
import type { TimeBuckets } from './time-buckets.ts';
import { forEachTokenGap, tokenReads } from './token-reads.ts';

/** Who counted the tokens of the ok requests. */
export interface CountSources {
  server: number;
  client: number;
  nobody: number;
}

/** Sums of whole numbers over the ok requests. */
export interface OkTotals {
  inputTokens: number;
  outputTokens: number;
  inputChars: number;
  outputChars: number;
  /** Cached and whole input tokens of the requests whose server told both. */
  cachedTokens: number;
  cacheableTokens: number;
  /** Answers with more tokens than they can hold, and with tokens and no text. */
  impossibleCounts: number;
  textlessAnswers: number;
}

/** Running sums for the live view; they may differ in the last digits with the order of arrival. */
export interface RunningMean {
  sum: number;
  n: number;
}

/** Everything a meter remembers. Two states added together are the state of all their exchanges. */
export interface MeterState {
  /** null = everything stays in memory. */
  shelf: Shelf | null;
  table: RequestTable;
  /** Requests whose rows were given up because there were too many; null = every row is there. */
  folded: FoldedRequests | null;
  gaps: GapPool;
  byProblem: Map<ProblemCode, number>;
  totals: OkTotals;
  inputSources: CountSources;
  outputSources: CountSources;
  /** Some ok answer reasoned. */
  reasoned: boolean;
  outputArrivals: TimeBuckets;
  inputArrivals: TimeBuckets;
  okEnds: TimeBuckets;
  okEndTokens: TimeBuckets;
  running: { latencyMs: RunningMean; ttftMs: RunningMean };
  counts: { ok: number; failed: number; cancelled: number; dropped: number };
  retries: { requests: number; attempts: number; askedToWait: number; longestWaitMs: number };
  flow: FlowBook;
  silence: SilenceBook;
  lastEndMs: number;
}

/** A state with nothing in it. */
export function emptyState(gapCap: number, shelf: Shelf | null): MeterState {
  return {
    shelf,
    table: makeRequestTable(shelf),
    folded: null,
    gaps: makeGapPool(gapCap, shelf),
    byProblem: new Map(),
    totals: {
      inputTokens: 0,
      outputTokens: 0,
      inputChars: 0,
      outputChars: 0,
      cachedTokens: 0,
      cacheableTokens: 0,
      impossibleCounts: 0,
      textlessAnswers: 0,
    },
    inputSources: { server: 0, client: 0, nobody: 0 },
    outputSources: { server: 0, client: 0, nobody: 0 },
    reasoned: false,
    outputArrivals: makeTimeBuckets(),
    inputArrivals: makeTimeBuckets(),
    okEnds: makeTimeBuckets(),
    okEndTokens: makeTimeBuckets(),
    running: { latencyMs: { sum: 0, n: 0 }, ttftMs: { sum: 0, n: 0 } },
    counts: { ok: 0, failed: 0, cancelled: 0, dropped: 0 },
    retries: { requests: 0, attempts: 0, askedToWait: 0, longestWaitMs: 0 },
    flow: new FlowBook(),
    silence: new SilenceBook(),
    lastEndMs: 0,
  };
}

/** Takes one measured exchange in; `stream` says whether its gaps and first output mean anything. */
export function addToState(state: MeterState, exchange: Exchange, stream: boolean): void {
  state.counts[exchange.outcome] += 1;
  state.flow.saw(exchange);
  state.silence.saw(exchange);
  state.lastEndMs = Math.max(state.lastEndMs, exchange.endMs);
  if (exchange.problem !== null) {
    const { code } = exchange.problem;
    state.byProblem.set(code, (state.byProblem.get(code) ?? 0) + 1);
  }
  addRetries(state.retries, exchange);
  let meanGapMs: number | null = null;
  if (exchange.outcome === 'ok') {
    addTotals(state, exchange);
    meanGapMs = addArrivals(state, exchange, stream);
    addRunning(state, exchange, stream);
  }
  addRequest(state.table, exchange, meanGapMs);
}

function addRetries(retries: MeterState['retries'], { attempts, problem }: Exchange): void {
  if (attempts > 1) {
    retries.requests += 1;
    retries.attempts += attempts - 1;
  }
  if (problem?.retryAfterMs === undefined) return;
  retries.askedToWait += 1;
  retries.longestWaitMs = Math.max(retries.longestWaitMs, problem.retryAfterMs);
}

function addTotals(state: MeterState, exchange: Exchange): void {
  const { totals } = state;
  const input = inputTokensOf(exchange);
  totals.inputTokens += input ?? 0;
  totals.outputTokens += outputTokensOf(exchange) ?? 0;
  totals.inputChars += exchange.inputChars;
  totals.outputChars += exchange.outputChars;
  if (!possibleCount(exchange)) totals.impossibleCounts += 1;
  if (exchange.outputChars === 0 && (exchange.outputTokens.server ?? 0) > 0) totals.textlessAnswers += 1;
  if (exchange.cachedTokens !== null && input !== null) {
    totals.cachedTokens += exchange.cachedTokens;
    totals.cacheableTokens += input;
  }
  state.inputSources[sourceOf(exchange.inputTokens)] += 1;
  state.outputSources[sourceOf(exchange.outputTokens)] += 1;
  if (exchange.chunks.kinds.includes('r')) state.reasoned = true;
}

function sourceOf(counts: TokenCounts): keyof CountSources {
  if (counts.server !== null) return 'server';
  return counts.client !== null ? 'client' : 'nobody';
}

const noReads: ReturnType<typeof tokenReads> = { atMs: [], tokens: [] };

/** Records tokens at the time they came, and pools the gaps; gives the request's mean gap. */
function addArrivals(state: MeterState, exchange: Exchange, stream: boolean): number | null {
  const reads = stream ? tokenReads(exchange) : noReads;
  const output = outputTokensOf(exchange) ?? 0;
  const told = reads.tokens.some((tokens) => tokens > 0);
  // Not `entries()`: a list of pairs for every token of a run is work for the collector while streams are read.
  if (told) for (let i = 0; i < reads.atMs.length; i++) state.outputArrivals.add(reads.atMs[i]!, reads.tokens[i]!);
  else state.outputArrivals.add(exchange.endMs, output);
  state.inputArrivals.add(reads.atMs[0] ?? exchange.endMs, inputTokensOf(exchange) ?? 0);
  let decodeMs = 0;
  let weights = 0;
  forEachTokenGap(reads, (gapMs, weight, endMs) => {
    state.gaps.add(gapMs, weight, endMs);
    decodeMs += gapMs * weight;
    weights += weight;
  });
  return weights > 0 ? decodeMs / weights : null;
}

function addRunning(state: MeterState, exchange: Exchange, stream: boolean): void {
  state.okEnds.add(exchange.endMs, 1);
  state.okEndTokens.add(exchange.endMs, outputTokensOf(exchange) ?? 0);
  const { sentMs } = exchange;
  if (sentMs === null) return;
  state.running.latencyMs.sum += exchange.endMs - sentMs;
  state.running.latencyMs.n += 1;
  const first = exchange.chunks.atMs[0];
  if (!stream || first === undefined) return;
  state.running.ttftMs.sum += first - sentMs;
  state.running.ttftMs.n += 1;
}

/** Adds what another state remembers; the other one stays as it is. */
export function mergeStates(into: MeterState, other: MeterState, slos: readonly Slo[], stream: boolean): void {
  appendRequests(into.table, other.table);
  if (other.folded !== null) (into.folded ??= new FoldedRequests(slos, stream)).merge(other.folded);
  into.gaps.merge(other.gaps);
  for (const [code, count] of other.byProblem) into.byProblem.set(code, (into.byProblem.get(code) ?? 0) + count);
  addNumbers(into.totals, other.totals);
  addNumbers(into.inputSources, other.inputSources);
  addNumbers(into.outputSources, other.outputSources);
  addNumbers(into.running.latencyMs, other.running.latencyMs);
  addNumbers(into.running.ttftMs, other.running.ttftMs);
  addNumbers(into.counts, other.counts);
  const longestWaitMs = Math.max(into.retries.longestWaitMs, other.retries.longestWaitMs);
  addNumbers(into.retries, other.retries);
  into.retries.longestWaitMs = longestWaitMs;
  into.reasoned ||= other.reasoned;
  into.outputArrivals.merge(other.outputArrivals);
  into.inputArrivals.merge(other.inputArrivals);
  into.okEnds.merge(other.okEnds);
  into.okEndTokens.merge(other.okEndTokens);
  into.flow.merge(other.flow);
  into.silence.merge(other.silence);
  into.lastEndMs = Math.max(into.lastEndMs, other.lastEndMs);
}

function addNumbers<T extends { [K in keyof T]: number }>(into: T, other: T): void {
  for (const key of Object.keys(into) as (keyof T)[]) into[key] = (into[key] + other[key]) as T[keyof T];
}

/** Gives the rows up for histograms and sums: what is kept no longer grows with the requests. */
export function foldRows(state: MeterState, slos: readonly Slo[], stream: boolean): FoldedRequests {
  state.folded ??= new FoldedRequests(slos, stream);
  state.folded.take(state.table);
  state.table = makeRequestTable(state.shelf);
  return state.folded;
}
