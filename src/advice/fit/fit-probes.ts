import { invariant, quantile } from '../../core/index.ts';
import type { Exchange } from '../../core/index.ts';
import type { LinearCost } from '../../engine/sim/index.ts';
import { solve } from '../../core/index.ts';

/** What one probe with fixed lengths showed. */
export interface ProbeSight {
  concurrency: number;
  inputTokens: number;
  outputTokens: number;
  /** Gaps between the tokens of one request, in ms; requests in one list after the other. */
  gapsMs: number[];
  /** Time per token over the middle half of each answer, in ms. */
  stepsMs: number[];
  ttftMs: number[];
  /** Share of the prompts' tokens that the server took from its cache; null = it did not say. */
  cachedShare: number | null;
}

/** Parameters read off the probes. */
export interface ProbeFit {
  cost: LinearCost;
  overheadMs: number;
  /** Standard deviation of the logarithm of a step's time, client noise included. */
  stepSigma: number;
  /** 90 % intervals from how far the probes are from the line, by name. */
  intervals: Record<string, [number, number]>;
}

/** What a probe's exchanges show; lengths are the server's own counts. */
export function sightOf(concurrency: number, exchanges: readonly Exchange[]): ProbeSight | null {
  const good = exchanges.filter((exchange) => exchange.outcome === 'ok' && exchange.chunks.atMs.length > 1);
  if (good.length === 0) return null;
  // First tokens tell what a prompt costs only where the server computed it.
  const computed = good.filter((exchange) => (exchange.cachedTokens ?? 0) <= mostCachedShare * inputOf(exchange));
  const timed = computed.length > 0 ? computed : good;
  const said = good.filter((exchange) => exchange.cachedTokens !== null);
  const gapsMs = good.flatMap(({ chunks }) =>
    chunks.atMs.flatMap((atMs, i) => (i > 0 && chunks.tokens[i] === 1 ? [atMs - chunks.atMs[i - 1]!] : [])),
  );
  return {
    concurrency,
    inputTokens: mean(timed.map(inputOf)),
    outputTokens: mean(good.map(({ outputTokens, chunks }) => outputTokens.server ?? chunks.atMs.length)),
    gapsMs,
    stepsMs: good.flatMap((exchange) => middleStepMs(exchange)),
    ttftMs: computed.map((exchange) => exchange.chunks.atMs[0]! - exchange.sentMs!),
    cachedShare:
      said.length === 0 ? null : totalOf(said.map(({ cachedTokens }) => cachedTokens!)) / totalOf(said.map(inputOf)),
  };
}

/** A prompt of which more than this came from the cache says nothing of what prompts cost; a chat template's beginning may. */
const mostCachedShare = 0.1;

function inputOf({ inputTokens }: Exchange): number {
  return inputTokens.server ?? inputTokens.client ?? inputTokens.planned ?? 1;
}

function totalOf(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

function mean(values: readonly number[]): number {
  return totalOf(values) / values.length;
}

/** Time per token between a quarter and three quarters of an answer; none where it is too short to tell. */
function middleStepMs({ chunks }: Exchange): number[] {
  const count = chunks.atMs.length;
  if (count < 16) return [];
  const [from, to] = [Math.floor(count / 4), Math.floor((3 * count) / 4)];
  let tokens = 0;
  for (let i = from + 1; i <= to; i++) tokens += chunks.tokens[i]!;
  return [(chunks.atMs[to]! - chunks.atMs[from]!) / tokens];
}

/**
 * a, c and k from the middle half of the answers: requests of one length that start together decode in step, so every gap there is
 * a decode step of all of them, on average half-way through the answer: a + c·n + k·n·(input + output/2)/1000.
 * p1 and the overhead from the first tokens of lone requests: overhead + a + p1·input.
 */
export function fitProbes(sights: readonly ProbeSight[]): ProbeFit {
  const long = sights.filter((sight) => sight.stepsMs.length > 0);
  invariant(long.length >= 3, 'three probes have enough gaps to tell a, c and k apart');
  const rows = long.map(({ concurrency, inputTokens, outputTokens }) => [
    1,
    concurrency,
    (concurrency * (inputTokens + outputTokens / 2)) / 1000,
  ]);
  const steps = fitLine(
    rows,
    long.map((sight) => midMean(sight.stepsMs)),
  );
  const alone = sights.filter((sight) => sight.concurrency === 1 && sight.ttftMs.length > 0);
  const first = fitLine(
    alone.map(({ inputTokens }) => [1, inputTokens]),
    // The quicker ones: what disturbs a lone request, on the client or on the way, only ever makes it later.
    alone.map((sight) => quantileOf(sight.ttftMs, 0.25)),
  );
  const [aMs, cMs, kMs] = steps.at.map((value) => Math.max(0, value)) as [number, number, number];
  const p1Ms = Math.max(0, first.at[1]!);
  const bare = long.find((sight) => sight.concurrency === 1) ?? long[0]!;
  const logs = bare.gapsMs.map((gap) => Math.log(Math.max(1e-3, gap)));
  const spread = middle(logs.map((value) => Math.abs(value - middle(logs))));
  const around = (value: number, error: number): [number, number] => [value - 1.645 * error, value + 1.645 * error];
  return {
    cost: { aMs, cMsPerDecode: cMs, p1MsPerPrefillToken: p1Ms, kMsPer1000KvTokens: kMs },
    overheadMs: Math.max(0, first.at[0]! - aMs),
    // 1.4826 times the median deviation is a normal's standard deviation.
    stepSigma: Math.min(0.2, 1.4826 * spread),
    intervals: {
      aMs: around(aMs, steps.errors[0]!),
      cMsPerDecode: around(cMs, steps.errors[1]!),
      kMsPer1000KvTokens: around(kMs, steps.errors[2]!),
      p1MsPerPrefillToken: around(p1Ms, first.errors[1]!),
    },
  };
}

function middle(values: readonly number[]): number {
  return quantileOf(values, 0.5);
}

/** The mean of the middle half: averages over the waves of a probe and is deaf to strays. */
function midMean(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const cut = Math.floor(sorted.length / 4) || (sorted.length > 2 ? 1 : 0);
  const kept = sorted.slice(cut, sorted.length - cut);
  return kept.reduce((sum, value) => sum + value, 0) / kept.length;
}

function quantileOf(values: readonly number[], q: number): number {
  return quantile(Float64Array.from(values).sort(), q) ?? 0;
}

/** Least squares of relative errors, with the standard error of each coefficient. */
function fitLine(rows: readonly number[][], values: readonly number[]): { at: number[]; errors: number[] } {
  const width = rows[0]!.length;
  const scaled = rows.map((row, i) => row.map((x) => x / values[i]!));
  const cell = (i: number, j: number): number => scaled.reduce((sum, row) => sum + row[i]! * row[j]!, 0);
  const normal = Array.from({ length: width }, (_, i) => Array.from({ length: width }, (__, j) => cell(i, j)));
  const right = normal.map((_, i) => scaled.reduce((sum, row) => sum + row[i]!, 0));
  const at = solve(normal, right);
  const left = scaled.map((row) => 1 - row.reduce((sum, x, i) => sum + x * at[i]!, 0));
  const freedom = Math.max(1, rows.length - width);
  // A step's time is known to about half a percent however well the probes agree.
  const sigma = Math.max(0.005, Math.sqrt(left.reduce((sum, error) => sum + error * error, 0) / freedom));
  const errors = at.map((_, i) => {
    const unit = at.map((__, j) => (i === j ? 1 : 0));
    return sigma * Math.sqrt(Math.max(0, solve(normal, unit)[i]!));
  });
  return { at, errors };
}
