import { randomStream } from '../../core/index.ts';
import type { EngineProfile } from '../../engine/sim/index.ts';
import { cholesky, solve, solveTransposed } from '../../core/index.ts';
import { replayFirst } from './replay.ts';
import type { TracedRequest } from './request-trace.ts';
import { usualShares } from './usual-shares.ts';

/** An engine that was looked for with replays, and how far it is from the trace: less is nearer, only differences count. */
export interface Found {
  profile: EngineProfile;
  misfit: number;
  /** How sharply the trace tells the cost: the curvature of half its misfit in the logarithms of a and of c, k, p1 and r as shares of it. */
  curvature: number[][];
}

/** What a search may see of a trace. */
export interface Shown {
  /** Requests with all their times. */
  train: readonly TracedRequest[];
  /** The same, and of those that came while they were being served arrivals and lengths. */
  played: readonly TracedRequest[];
  /** Prompt and answer of the longest request of the whole trace. */
  longestTokens: number;
}

/** Rounds of the search at most. */
const mostRounds = 12;
/** Parameters are moved by this much (a share) to see what hangs on them, more than what single requests do by chance; where that leads nowhere, otherwise. */
const nudges = [0.04, -0.04, 0.15] as const;
/** How far the first step holds back. */
const firstDamping = 0.01;
/** What is moved by less than this in a round has been found. */
const settled = 2e-3;
/** No parameter moves further than this (a share, as a logarithm) in a round. */
const longestMove = 0.7;
/** Errors beyond so many spreads count less than their square. */
const mild = 2;
/** No engine is known better than this (a share). */
const leastSpreads = [0.1, 0.005, 0.005] as const;
/** How far (as a logarithm) the usual shares may be from an engine's: the first three, counted once for every answer in a batch, and the last, of which nothing is usual. */
const shareSpread = { usual: 1, prompt: 2 };
/** Share of the requests, those that are expected to wait least, that tell the overhead. */
const quickest = 0.25;
/** No share of a is taken for smaller than this: it would hang on nothing. */
const leastShare = 1e-5;

/**
 * Moves an engine's cost until replays of the first requests come out as they were measured. For traces whose steps cannot be counted: where most of who was in the batch
 * came after the part that may be seen. Their arrivals and lengths are known, and the replay says when they were served.
 */
export function searchByReplay(start: EngineProfile, shown: Shown, rounds = mostRounds): Found {
  const prior = shareSpread.usual / Math.sqrt(overlapOf(shown.train));
  let z = pointOf(start);
  let errors = errorsOf(profileAt(start, z), shown);
  let spreads = spreadsOf(errors);
  let loss = lossOf(errors, spreads, z, prior);
  let damping = firstDamping;
  let failed = 0;
  let curvature: number[][] = [];
  for (let round = 0; round < rounds && failed < nudges.length; round++) {
    const nudge = nudges[failed]!;
    const nudged = z.map((_, i) => errorsOf(profileAt(start, z.with(i, z[i]! + nudge)), shown));
    const { normal, right } = slopesOf(errors, nudged, spreads, z, { nudge, prior });
    curvature = normal;
    let moved = 0;
    // A step that makes it worse is tried again, shorter.
    for (let attempt = 0; attempt < 3 && moved === 0; attempt++) {
      const step = solve(
        normal.map((row, i) => row.with(i, row[i]! * (1 + damping) + 1e-9)),
        right,
      );
      const next = z.map((value, i) => value + Math.max(-longestMove, Math.min(longestMove, step[i]!)));
      const nextErrors = errorsOf(profileAt(start, next), shown);
      const nextLoss = lossOf(nextErrors, spreads, next, prior);
      if (nextLoss < loss) {
        moved = Math.max(...next.map((value, i) => Math.abs(value - z[i]!)));
        [z, errors] = [next, nextErrors];
        damping = Math.max(1e-3, damping / 5);
      } else damping *= 6;
    }
    if (moved < settled) {
      failed++;
      damping = firstDamping;
    }
    spreads = spreadsOf(errors);
    loss = lossOf(errors, spreads, z, prior);
  }
  return { profile: profileAt(start, z), misfit: misfitOf(errors, z, prior), curvature };
}

/** How far a profile is from the trace, whatever engines usually are. */
export function misfitByReplay(profile: EngineProfile, shown: Shown): number {
  return unlikelihoodOf(errorsOf(profile, shown));
}

/** Logarithms of a, and of c, k, p1 and, where prompts have a cost of their own, r as shares of it. */
function pointOf({ cost }: EngineProfile): number[] {
  const share = (value: number): number => Math.log(Math.max(leastShare, value / cost.aMs));
  return [
    Math.log(cost.aMs),
    share(cost.cMsPerDecode),
    share(cost.kMsPer1000KvTokens),
    share(cost.p1MsPerPrefillToken),
    ...(cost.rMsPerPrompt === undefined ? [] : [share(cost.rMsPerPrompt)]),
  ];
}

/** The profile with the cost of a point; what attention costs keeps its ratio to the prompt. Jitter is left out: one replay is to say what to expect. */
function profileAt(profile: EngineProfile, [a, c, k, p1, r]: readonly number[]): EngineProfile {
  const { cost } = profile;
  const aMs = Math.exp(a!);
  const p1Ms = aMs * Math.exp(p1!);
  const attention = (cost.mMsPerMillionAttention ?? 0) / Math.max(1e-9, cost.p1MsPerPrefillToken);
  return {
    ...profile,
    cost: {
      ...cost,
      aMs,
      cMsPerDecode: aMs * Math.exp(c!),
      kMsPer1000KvTokens: aMs * Math.exp(k!),
      p1MsPerPrefillToken: p1Ms,
      ...(r !== undefined && { rMsPerPrompt: aMs * Math.exp(r) }),
      mMsPerMillionAttention: Math.min(attention, 5) * p1Ms,
    },
  };
}

/** Errors of first tokens, of times per token and of latencies, request by request; NaN where there is none. */
type Errors = readonly Float64Array[];

function errorsOf(profile: EngineProfile, { train, played }: Shown): Errors {
  const still = { ...profile, jitter: { stepSigma: 0 }, overheadMs: 0 };
  const { ttftMs, tpotMs, latencyMs } = replayFirst(still, played, train.length);
  const overheadMs = overheadOf(train, ttftMs);
  // Where in a step a request came is chance: a first token is not known better than that.
  const stepMs = profile.cost.aMs;
  const first = train.map((request, i) => (ttftMs[i]! + overheadMs - request.ttftMs) / (request.ttftMs + stepMs));
  const each = train.map((request, i) => logRatio(tpotMs[i]!, request.tpotMs));
  const whole = train.map((request, i) => logRatio(latencyMs[i]! + overheadMs, request.latencyMs));
  return [first, each, whole].map((kind) => Float64Array.from(kind));
}

/** NaN where one of them is nothing: an answer of one token has no time per token, and one that never fitted no time at all. */
function logRatio(replayed: number, measured: number | null): number {
  return measured !== null && measured > 0 && replayed > 0 ? Math.log(replayed / measured) : NaN;
}

/** What is left of the first tokens of those that are expected to wait least. */
function overheadOf(train: readonly TracedRequest[], ttftMs: Float64Array): number {
  const order = train.map((request, i) => ({ expected: ttftMs[i]!, left: request.ttftMs - ttftMs[i]! }));
  const quick = order.toSorted((x, y) => x.expected - y.expected).slice(0, Math.ceil(train.length * quickest));
  const middle = quick.map(({ left }) => left).toSorted((x, y) => x - y)[quick.length >> 1]!;
  const least = train.reduce((sum, request) => Math.min(sum, request.ttftMs), Infinity);
  return Math.max(0, Math.min(middle, 0.9 * least));
}

/** 1.4826 times the median size is a normal's standard deviation. */
function spreadsOf(errors: Errors): number[] {
  return errors.map((kind, at) => {
    const sizes = kind
      .filter((error) => !Number.isNaN(error))
      .map(Math.abs)
      .sort();
    return Math.max(leastSpreads[at]!, 1.4826 * (sizes[sizes.length >> 1] ?? 0));
  });
}

/** How far the shares are from what is usual, in spreads, and those. */
function priorsOf(z: readonly number[], prior: number): { away: number; spread: number }[] {
  const { c, k, p1, r } = usualShares;
  const spreads = [prior, prior, prior, shareSpread.prompt];
  return z.slice(1).map((share, i) => {
    const spread = spreads[i]!;
    return { away: (share - Math.log([c, k, p1, r][i]!)) / spread, spread };
  });
}

function lossOf(errors: Errors, spreads: readonly number[], z: readonly number[], prior: number): number {
  const all = errors.map((kind, i) => kind.reduce((sum, error) => sum + tamed(error / spreads[i]!), 0));
  return [...all, ...priorsOf(z, prior).map(({ away }) => away * away)].reduce((sum, part) => sum + part, 0);
}

/** The spreads being unknown, what counts is their logarithm, once for every request. */
function unlikelihoodOf(errors: Errors): number {
  const spreads = spreadsOf(errors);
  return errors.reduce((sum, kind, i) => {
    const known = kind.filter((error) => !Number.isNaN(error));
    const mean = known.reduce((all, error) => all + tamed(error / spreads[i]!), 0) / Math.max(1, known.length);
    return sum + known.length * Math.log(spreads[i]! * Math.sqrt(Math.max(mean, 1e-9)));
  }, 0);
}

function misfitOf(errors: Errors, z: readonly number[], prior: number): number {
  return priorsOf(z, prior).reduce((sum, { away }) => sum + (away * away) / 2, unlikelihoodOf(errors));
}

/** The square, and beyond `mild` a straight line that goes on from it; nothing for what is not there. */
function tamed(error: number): number {
  if (Number.isNaN(error)) return 0;
  const size = Math.abs(error);
  return size < mild ? size * size : mild * (2 * size - mild);
}

/** The normal equations of a step: how errors change with the parameters, weighed by what is usual of their kind. */
function slopesOf(
  errors: Errors,
  nudged: readonly Errors[],
  spreads: readonly number[],
  z: readonly number[],
  { nudge, prior }: { nudge: number; prior: number },
): { normal: number[][]; right: number[] } {
  const size = z.length;
  const normal = Array.from({ length: size }, () => Array.from({ length: size }, () => 0));
  const right = Array.from({ length: size }, () => 0);
  errors.forEach((kind, at) => {
    const spread = spreads[at]!;
    kind.forEach((error, request) => {
      const slopes = nudged.map((other) => (other[at]![request]! - error) / nudge / spread);
      if (Number.isNaN(error) || slopes.some(Number.isNaN)) return;
      const own = error / spread;
      const weight = Math.abs(own) < mild ? 1 : mild / Math.abs(own);
      for (let i = 0; i < size; i++) {
        right[i]! -= weight * slopes[i]! * own;
        for (let j = 0; j < size; j++) normal[i]![j]! += weight * slopes[i]! * slopes[j]!;
      }
    });
  });
  priorsOf(z, prior).forEach(({ away, spread }, i) => {
    normal[1 + i]![1 + i]! += 1 / spread ** 2;
    right[1 + i]! -= away / spread;
  });
  return { normal, right };
}

/** Engines that would also have made the trace: as far from the one that was found as the trace leaves open. */
export function drawnAround(
  { profile: found, curvature }: Found,
  train: readonly TracedRequest[],
  profile: EngineProfile,
  { count, seed, runSpread }: { count: number; seed: number; runSpread: number },
): EngineProfile[] {
  const random = randomStream(seed, 'engines that explain a trace');
  const width = Math.sqrt(overlapOf(train));
  const z = pointOf(found);
  const root = cholesky(curvature, 1e-6);
  return Array.from({ length: count }, () => {
    const away = solveTransposed(
      root,
      z.map(() => width * random.normal()),
    );
    const pace = runSpread * random.normal();
    const { cost } = profileAt(
      found,
      z.map((value, i) => value + Math.max(-1, Math.min(1, away[i]!)) + (i === 0 ? pace : 0)),
    );
    return { ...profile, cost };
  });
}

/** How many of the answers cover a moment, on average: they share their steps, so that so many say what one would. */
export function overlapOf(train: readonly TracedRequest[]): number {
  const toMs = train.reduce((last, { arrivalMs, latencyMs }) => Math.max(last, arrivalMs + latencyMs), 0);
  const servedMs = train.reduce((sum, { latencyMs, ttftMs }) => sum + latencyMs - ttftMs, 0);
  return Math.max(1, servedMs / Math.max(1e-9, toMs - train[0]!.arrivalMs));
}
