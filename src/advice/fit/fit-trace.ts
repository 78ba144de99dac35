import { distributionOf, quantile, randomStream, userError } from '../../core/index.ts';
import type { EngineProfile, SchedulerName, SettingValue } from '../../engine/sim/index.ts';
import { aheadSetting, schedulers } from '../../engine/sim/index.ts';
import { chooseShape } from './choose-shape.ts';
import type { ChosenShape } from './choose-shape.ts';
import { cutTime } from './clock-pieces.ts';
import type { ClockPieces } from './clock-pieces.ts';
import { clockAt, fitClock, lastSlopeSpread, placesOf } from './step-clock.ts';
import type { ClockFit } from './step-clock.ts';
import { searchLimits, searchStart } from './limit-search.ts';
import { replay } from './replay.ts';
import type { Replayed } from './replay.ts';
import { drawnAround, misfitByReplay } from './replay-search.ts';
import type { TracedRequest } from './request-trace.ts';
import { arrivalsOf, leastStepOf, staysOf } from './batch-residency.ts';
import { stepJitter } from './step-jitter.ts';
import { scoreTrace, traceResiduals } from './trace-score.ts';
import type { TraceMetric } from './trace-score.ts';
import { largeBatch, rulesOf, variantsOf } from './trace-variants.ts';

/** What is asked of a fit of a request trace. */
export interface TraceFitOptions {
  /** Share of the requests, in order of arrival, that the fit may see. */
  train: number;
  scheduler: SchedulerName;
  /** The server's settings as far as they are known. */
  settings: Readonly<Record<string, SettingValue>>;
  kv: EngineProfile['kv'];
}

/** An engine fitted to a trace, and how it does on the rest. */
export interface TraceFit {
  profile: EngineProfile;
  trained: number;
  scored: number;
  intervals: Record<string, [number, number]>;
  /** Whether the largest batch is known: given, or smaller than what would have explained the trace as well. */
  batchKnown: boolean;
  metrics: Record<string, TraceMetric>;
  /** Median error of the same figures on the requests that were fitted: one that hung must not spoil it; null = there are none. */
  residual: number | null;
  /** Batch sizes where d(n) bends; none = it is straight. */
  knots: readonly number[];
  /** So many engines that explain the trace about as well, to see how far predictions differ among them. */
  sample(count: number, seed: number): EngineProfile[];
}

const mostTrained = 2000;
/** Runs of one engine differ by about this much (standard deviation): no single run can know its engine better. */
const runSpread = 0.012;
/** Replays over which a prediction is averaged: as many as cost about as much as one of so many requests, within bounds. */
const replayedRequests = 40_000;
const throws = { least: 2, most: 32 };
/** A batch that ended where the most requests were seen must explain the trace this much better, else it may have been larger; and so must steps formed ahead. */
const clearly = 0.9;
/** Fewer answers than this that were served among known ones leave the clock nothing to count. */
const leastCounted = 8;
/** Requests with which replays are searched, at most, and tokens of their answers; and how few it may come to. */
const mostSearched = { requests: 600, tokens: 1_000_000, least: 30 };
/** An engine found by replays must be this much likelier, for each request (a difference of logarithms), than what the clock says, whose errors are half as large again then. */
const clearlyNearer = 1.5;
/** That is so where the clock could count this share of the answers; with fewer the nearer one is taken. */
const mostlyCounted = 0.7;
/** What a profile says of itself that was searched. */
const searchedNote =
  'Searched with replays of the fitted requests: most of who shared their batch came later, or was not let in. c and k are told apart by what engines usually have.';
/** Where steps cannot be counted, what looks like jitter beyond this is somebody in the batch who is not known. */
const usualJitter = 0.03;
/** What a prompt costs of its own is nothing below this share of a. */
const leastPromptCost = 1e-3;
/** Share of the requests left out at either end when the overhead is read. */
const overheadTrim = 0.1;
/** Draws behind the intervals of the parameters. */
const draws = 60;
/** Blocks of time that are drawn with replacement. */
const blocks = 20;

/** An engine that explains the trained part. */
interface Explained {
  profile: EngineProfile;
  knots: readonly number[];
  sample: TraceFit['sample'];
}

/** Fits an engine to the first part of a trace and scores the rest. */
export function fitTrace(requests: readonly TracedRequest[], options: TraceFitOptions): TraceFit {
  const trained = Math.max(10, Math.floor(requests.length * options.train));
  if (requests.length - trained < 10)
    throw userError(
      'trace-too-short',
      `${requests.length} requests are too few to fit and to score`,
      `${requests.length} 个请求不足以拟合并评分`,
      'Give at least 40, or a smaller --train.',
      '请至少给出 40 个请求，或减小 --train。',
      '--train',
    );
  if (requests.slice(0, trained).every(({ latencyMs }) => latencyMs === 0))
    throw userError(
      'trace-without-times',
      'all answers of the fitted part took no time',
      '参与拟合的请求耗时均为零',
      'ttftMs and latencyMs must be measured times; a larger --train may hold some.',
      'ttftMs 与 latencyMs 必须是实测时间；也可增大 --train。',
    );
  refuseSmallKv(requests, options.kv);
  const all = onOwnClock(requests);
  const train = all.slice(0, Math.min(trained, mostTrained));
  const played = playedWith(all, train);
  const pieces = piecesOf(all, train, options.kv);
  const clocked = pieces.steps.length < leastCounted ? null : byClock(pieces, train, played, options);
  const { profile, knots, sample } = bySearch(pieces, clocked, all, train, options);
  const { batchSetting } = schedulers[options.scheduler];
  const batchGiven = Object.hasOwn(options.settings, batchSetting);
  const replayed = replays(profile, all);
  const own = Object.values(scoreTrace(all, replayed, 0, train.length)).map(({ error }) => Math.abs(error));
  return {
    profile,
    trained,
    scored: all.length - trained,
    intervals: intervalsOf(sample(draws, 1)),
    batchKnown: batchGiven || profile.maxBatchSize < largeBatch,
    residual: quantile(Float64Array.from(own).sort(), 0.5),
    metrics: scoreTrace(all, replayed, trained),
    knots,
    sample,
  };
}

/** Counts steps on the clock: the sharpest way, as long as it is known who was in the batch. */
function byClock(
  pieces: ClockPieces,
  train: readonly TracedRequest[],
  played: readonly TracedRequest[],
  options: TraceFitOptions,
): Explained {
  const variants = variantsOf(options, train);
  const shape = chooseShape(pieces, leastStepOf(train), rulesOf(schedulerIn(variants[0]!)));
  const { batchSetting } = schedulers[options.scheduler];
  const batchGiven = Object.hasOwn(options.settings, batchSetting);
  const tryOut = (variant: TraceFitOptions) => {
    const rules = { ...shape.rules, ...rulesOf(schedulerIn(variant)) };
    const chosen = { ...shape, rules, fit: fitClock(pieces, shape.fit.knots, shape.fit.x, rules) };
    const { profile, played: replayed } = withOverhead(profileOf(chosen.fit, pieces, variant), train, played);
    const misfit = traceResiduals(train, replayed).reduce((sum, r) => sum + r * r, 0);
    const guessedFull = !batchGiven && Number(variant.settings[batchSetting]) < largeBatch;
    return { variant, chosen, profile, loss: guessedFull ? misfit / clearly : misfit };
  };
  const plain = variants.map(tryOut).reduce((first, next) => (next.loss < first.loss ? next : first));
  const ahead = aheadOf(plain.variant);
  const formed = ahead === null ? null : tryOut(ahead);
  const { variant, chosen, profile } = formed !== null && formed.loss < clearly * plain.loss ? formed : plain;
  const sample = (count: number, seed: number): EngineProfile[] =>
    drawnFits(pieces, chosen, count, seed).map((fit) => ({
      ...profileOf(fit, pieces, variant),
      overheadMs: profile.overheadMs!,
    }));
  return { profile, knots: chosen.fit.knots, sample };
}

/** The same server with steps formed ahead; null = it is told whether it does, or knows nothing of it. */
function aheadOf(variant: TraceFitOptions): TraceFitOptions | null {
  const known = Object.hasOwn(variant.settings, aheadSetting);
  if (known || !Object.hasOwn(schedulers[variant.scheduler].settings, aheadSetting)) return null;
  return { ...variant, settings: { ...variant.settings, [aheadSetting]: true } };
}

function searchedOf(trained: readonly TracedRequest[]): readonly TracedRequest[] {
  let tokens = 0;
  const end = trained.findIndex((request, i) => {
    tokens += request.outputTokens;
    return i >= mostSearched.requests || (i >= mostSearched.least && tokens > mostSearched.tokens);
  });
  return end === -1 ? trained : trained.slice(0, end);
}

/** Searches with replays; what the clock says is kept where it explains the trace about as well. */
function bySearch(
  pieces: ClockPieces,
  clocked: Explained | null,
  all: readonly TracedRequest[],
  trained: readonly TracedRequest[],
  options: TraceFitOptions,
): Explained {
  const train = searchedOf(trained);
  const shown = { train, played: playedWith(all, train), longestTokens: longestOf(all) };
  const start = { ...namedFor(options), ...searchStart(options, shown), jitter: { stepSigma: 0 } };
  const found = searchLimits(start, options, shown);
  const apart = (profile: EngineProfile): number => misfitByReplay(profile, shown) / train.length;
  const margin = pieces.steps.length < mostlyCounted * trained.length ? 0 : clearlyNearer;
  if (clocked !== null && apart(clocked.profile) - apart(found.profile) < margin) return clocked;
  const still = found.profile;
  const clock = clockAt(pieces, still.cost, rulesOf(still.scheduler!));
  const jitter = { stepSigma: Math.min(usualJitter, stepJitter(pieces, clock)) };
  const { profile } = withOverhead({ ...still, jitter, notes: [searchedNote] }, train, shown.played);
  const sample = (count: number, seed: number): EngineProfile[] =>
    drawnAround(found, train, profile, { count, seed, runSpread });
  return { profile, knots: [], sample };
}

function onOwnClock(requests: readonly TracedRequest[]): TracedRequest[] {
  const [first] = requests;
  const originMs = first!.arrivalMs;
  return requests.map((request) => ({
    ...request,
    arrivalMs: request.arrivalMs - originMs,
    ...(request.tokens && {
      tokens: { atMs: request.tokens.atMs.map((moment) => moment - originMs), counts: request.tokens.counts },
    }),
  }));
}

/** The trained ones and, as arrivals and lengths only, those that came while they were being served. */
function playedWith(all: readonly TracedRequest[], train: readonly TracedRequest[]): TracedRequest[] {
  const lastMs = train.reduce((last, { arrivalMs, latencyMs }) => Math.max(last, arrivalMs + latencyMs), 0);
  return all.filter((request, i) => i < train.length || request.arrivalMs <= lastMs);
}

function piecesOf(
  all: readonly TracedRequest[],
  train: readonly TracedRequest[],
  kv: EngineProfile['kv'],
): ClockPieces {
  const leastStepMs = leastStepOf(train);
  const { stays, stretches } = staysOf(train, leastStepMs);
  const arrivals = arrivalsOf(train);
  // First come, first served: what was not shown began to decode only after the last that was.
  const lastFirstMs = arrivals.reduce((last, one) => Math.max(last, one.firstMs), 0);
  const untilMs = all.length === train.length ? Infinity : Math.max(lastFirstMs, all[train.length]!.arrivalMs);
  // With the time of every token, who was preempted is known.
  const seen = stretches !== stays;
  return cutTime(stays, stretches, arrivals, { leastStepMs, untilMs, kv: seen ? null : kv });
}

function schedulerIn({ scheduler, settings }: TraceFitOptions): NonNullable<EngineProfile['scheduler']> {
  return { name: scheduler, settings };
}

function profileOf(fit: ClockFit, pieces: ClockPieces, options: TraceFitOptions): EngineProfile {
  const { x, knots } = fit;
  const places = placesOf(knots);
  let ms = 0;
  const decodeCurve = knots.map((decodes, i) => {
    ms += x[1 + i]! * (decodes - (knots[i - 1] ?? 0));
    return { decodes, ms };
  });
  return {
    ...namedFor(options),
    cost: {
      aMs: x[0]!,
      cMsPerDecode: x[1 + knots.length]!,
      p1MsPerPrefillToken: x[places.p1]!,
      kMsPer1000KvTokens: x[places.k]!,
      mMsPerMillionAttention: x[places.m]!,
      ...(x[places.r]! > leastPromptCost * x[0]! && { rMsPerPrompt: x[places.r]! }),
      ...(knots.length === 0 ? {} : { decodeCurve }),
    },
    jitter: { stepSigma: stepJitter(pieces, fit) },
    overheadMs: x[places.overhead]!,
  };
}

/** A profile without what is fitted. */
function namedFor({ scheduler, settings, kv }: TraceFitOptions): Omit<EngineProfile, 'cost' | 'jitter'> {
  return {
    schema: 'llmdyno.engine-profile/1',
    name: 'fitted',
    title: 'fitted',
    model: 'fitted',
    source: 'dyno fit',
    date: '2026',
    maxBatchSize: Number(settings[schedulers[scheduler].batchSetting] ?? 256),
    maxPrefillTokens: null,
    kv,
    scheduler: { name: scheduler, settings },
    notes: [],
  };
}

/** The same requests under several throws of the dice. */
function replays(profile: EngineProfile, requests: readonly TracedRequest[]): Replayed[] {
  const count = Math.round(replayedRequests / requests.length);
  return Array.from({ length: Math.max(throws.least, Math.min(throws.most, count)) }, (_, i) =>
    replay(profile, requests, i + 1),
  );
}

/**
 * The profile with the overhead that is left when replayed first tokens are taken from measured ones, and those replays with it. Where in a step a request came is chance: the mean over
 * requests and throws evens it out. Those that are expected to wait longest are left out, and so is what is far from the rest.
 */
function withOverhead(
  profile: EngineProfile,
  train: readonly TracedRequest[],
  played: readonly TracedRequest[],
): { profile: EngineProfile; played: Replayed[] } {
  const bare = replays({ ...profile, overheadMs: 0 }, played);
  const expected = train.map((_, i) => bare.reduce((sum, one) => sum + one.ttftMs[i]!, 0) / bare.length);
  const longest = quantile(Float64Array.from(expected).sort(), 1 - overheadTrim)!;
  const left = train.flatMap(({ ttftMs }, i) => (expected[i]! <= longest ? [ttftMs - expected[i]!] : []));
  const cut = Math.floor(overheadTrim * left.length);
  const kept = left.toSorted((a, b) => a - b).slice(cut, left.length - cut);
  const mean = kept.reduce((sum, ms) => sum + ms, 0) / kept.length;
  const least = distributionOf(train.map((request) => request.ttftMs))?.min ?? Infinity;
  const overheadMs = Math.max(0, Math.min(mean, 0.9 * least));
  const later = (times: Float64Array): Float64Array => times.map((ms) => ms + overheadMs);
  return {
    profile: { ...profile, overheadMs },
    played: bare.map((one) => ({ ...one, ttftMs: later(one.ttftMs), latencyMs: later(one.latencyMs) })),
  };
}

/**
 * Engines that would also have made the trace: stretches drawn again in blocks of time, the slope beyond what was seen drawn from what is
 * likely, and each as much quicker or slower as runs are from day to day.
 */
function drawnFits(pieces: ClockPieces, { fit, rules }: ChosenShape, count: number, seed: number): ClockFit[] {
  const random = randomStream(seed, 'engines that explain a trace');
  const stretches = pieces.steps.length;
  return Array.from({ length: count }, () => {
    const drawn = Array.from({ length: blocks }, () => 0);
    for (let i = 0; i < blocks; i++) drawn[random.below(blocks)]!++;
    const counts = Float64Array.from({ length: stretches }, (_, i) => drawn[Math.floor((blocks * i) / stretches)]!);
    const beyond = Math.exp(lastSlopeSpread * random.normal());
    const other = fitClock(pieces, fit.knots, fit.x, { ...rules, beyond }, counts);
    const pace = Math.exp(runSpread * random.normal());
    const { overhead } = placesOf(fit.knots);
    return { ...other, x: other.x.map((value, i) => (i === overhead ? value : value * pace)) };
  });
}

function intervalsOf(profiles: readonly EngineProfile[]): TraceFit['intervals'] {
  const read: Record<string, (profile: EngineProfile) => number> = {
    aMs: ({ cost }) => cost.aMs,
    cMsPerDecode: ({ cost }) => cost.cMsPerDecode,
    p1MsPerPrefillToken: ({ cost }) => cost.p1MsPerPrefillToken,
    kMsPer1000KvTokens: ({ cost }) => cost.kMsPer1000KvTokens,
    rMsPerPrompt: ({ cost }) => cost.rMsPerPrompt ?? 0,
    mMsPerMillionAttention: ({ cost }) => cost.mMsPerMillionAttention ?? 0,
  };
  return Object.fromEntries(
    Object.entries(read).map(([name, of]) => {
      const sorted = Float64Array.from(profiles, of).sort();
      return [name, [quantile(sorted, 0.05) ?? 0, quantile(sorted, 0.95) ?? 0]];
    }),
  );
}

/** Prompt and answer of the longest request. */
function longestOf(requests: readonly TracedRequest[]): number {
  return requests.reduce((most, { promptTokens, outputTokens }) => Math.max(most, promptTokens + outputTokens), 0);
}

function refuseSmallKv(requests: readonly TracedRequest[], kv: EngineProfile['kv']): void {
  const longest = longestOf(requests);
  const held = kv === null ? Infinity : kv.blocks * kv.blockSize;
  if (longest <= held) return;
  throw userError(
    'kv-too-small',
    `a KV cache of ${held} tokens holds no request of ${longest}, and one was answered`,
    `${held} token 的 KV 缓存放不下 ${longest} token 的请求，而该请求已得到回答`,
    'See blocks and blockSize: the server prints both when it starts. Leave them out to have them looked for.',
    '请检查 blocks 与 blockSize：服务器启动时会打印二者。不给出则由程序推断。',
    '--set',
  );
}
