import { distributionOf, randomStream, UserError } from '../core/index.ts';
import type { EngineProfile, SchedulerName, SettingValue } from '../sim/index.ts';
import { schedulers } from '../sim/index.ts';
import { cholesky, laplace, ninetyPercent } from './laplace.ts';
import { leastSquares } from './least-squares.ts';
import type { Minimum } from './nelder-mead.ts';
import { replay } from './replay.ts';
import type { Replayed } from './replay.ts';
import type { TracedRequest } from './request-trace.ts';

/** What is asked of a fit of a request trace. */
export interface TraceFitOptions {
  /** Share of the requests, in order of arrival, that the fit may see. */
  train: number;
  scheduler: SchedulerName;
  /** The server's settings as far as they are known. */
  settings: Readonly<Record<string, SettingValue>>;
  kv: EngineProfile['kv'];
}

/** A metric on the requests that the fit did not see. */
export interface TraceMetric {
  measured: number;
  predicted: number;
  error: number;
}

/** An engine fitted to a trace, and how it does on the rest. */
export interface TraceFit {
  profile: EngineProfile;
  trained: number;
  scored: number;
  intervals: Record<string, [number, number]>;
  metrics: Record<string, TraceMetric>;
  /** So many engines that explain the trace about as well, to see how far predictions differ among them. */
  sample(count: number, seed: number): EngineProfile[];
}

const kinds = ['ttftMs', 'tpotMs', 'latencyMs'] as const;
const figures = ['mean', 'p50', 'p90', 'p99'] as const;
const names = [
  'aMs',
  'cMsPerDecode',
  'p1MsPerPrefillToken',
  'kMsPer1000KvTokens',
  'overheadMs',
  'mMsPerMillionAttention',
] as const;
const mostTrained = 2000;
/** Logarithmic errors beyond this count less than their square (Huber). */
const mild = 0.2;
/** What the search begins at, as multiples of the first guess: parameters trade off, and one start may end in the wrong valley. */
const beginnings = [
  [1, 1, 1, 1, 1, 1],
  [0.7, 4, 0.7, 0.3, 1, 0.3],
  [0.85, 0.5, 1.2, 3, 0.5, 3],
] as const;

/** Fits an engine to the first part of a trace, by replaying it, and scores the rest. */
export function fitTrace(requests: readonly TracedRequest[], options: TraceFitOptions): TraceFit {
  const trained = Math.max(10, Math.floor(requests.length * options.train));
  if (requests.length - trained < 10) throw tooShort(requests.length);
  const all = onOwnClock(requests);
  const lesson = lessonOf(all, Math.min(trained, mostTrained));
  const variants = variantsOf(options, lesson.train);
  const rough = variants.flatMap((variant) =>
    beginnings.map((factors) => ({ variant, ...search(lesson, variant, startAt(lesson.train, factors), 5, 0.2) })),
  );
  const candidates = rough.toSorted((a, b) => a.value - b.value).slice(0, 3);
  const [best] = candidates
    .map(({ variant, at }) => ({ variant, ...search(lesson, variant, at, 24, 0.08) }))
    .toSorted((a, b) => a.value - b.value);
  const { variant, at } = best!;
  const profile = profileOf(at, variant, lesson.bounds);
  const residuals = (x: readonly number[]): number[] =>
    logRatios(lesson.train, replay(profileOf(x, variant, lesson.bounds), lesson.played));
  const doubt = laplace(
    residuals,
    at,
    at.map(() => 0.03),
  );
  return {
    profile,
    trained,
    scored: all.length - trained,
    intervals: Object.fromEntries(
      names.map((name, i) => {
        const spread = ninetyPercent * Math.sqrt(doubt.covariance[i]![i]!);
        return [name, [Math.exp(at[i]! - spread), Math.exp(at[i]! + spread)]];
      }),
    ),
    metrics: scoreTrace(all, replay(profile, all), trained),
    sample: (count, seed) => {
      const random = randomStream(seed, 'engines that explain a trace');
      const root = cholesky(doubt.covariance);
      return Array.from({ length: count }, () => {
        const dice = at.map(() => random.normal());
        const drawn = at.map((x, i) => x + root[i]!.reduce((sum, value, j) => sum + value * dice[j]!, 0));
        return profileOf(drawn, variant, lesson.bounds);
      });
    },
  };
}

/** What the fit learns from: the requests whose times it sees, and all that shared the engine with them. */
interface Lesson {
  train: TracedRequest[];
  /** The trained ones and, as arrivals and lengths only, those that came while they were being served. */
  played: TracedRequest[];
  bounds: Bounds;
}

/** No parameter can be larger than the quickest requests allow. */
interface Bounds {
  aMs: number;
  overheadMs: number;
}

function lessonOf(all: readonly TracedRequest[], trained: number): Lesson {
  const train = all.slice(0, trained);
  const lastMs = Math.max(...train.map((request) => request.arrivalMs + request.latencyMs));
  const tpots = train.flatMap(({ tpotMs, outputTokens }) => (tpotMs !== null && outputTokens >= 8 ? [tpotMs] : []));
  const ttfts = train.map((request) => request.ttftMs);
  return {
    train,
    played: all.filter((request, i) => i < trained || request.arrivalMs <= lastMs),
    bounds: {
      aMs: distributionOf(tpots)?.min ?? Infinity,
      overheadMs: 0.9 * (distributionOf(ttfts)?.min ?? Infinity),
    },
  };
}

function onOwnClock(requests: readonly TracedRequest[]): TracedRequest[] {
  const [first] = requests;
  return requests.map((request) => ({ ...request, arrivalMs: request.arrivalMs - first!.arrivalMs }));
}

/**
 * The settings to try. Where the token budget is not known, the servers' usual ones; where the batch size is not known, a large one
 * and the round number just above the most requests that were seen between their first and last token at once.
 */
function variantsOf(options: TraceFitOptions, train: readonly TracedRequest[]): TraceFitOptions[] {
  const { settings, scheduler } = options;
  const kind = schedulers[scheduler];
  const has = (name: string): boolean => Object.hasOwn(settings, name);
  const budget = 'max_num_batched_tokens';
  const budgets = Object.hasOwn(kind.settings, budget) && !has(budget) ? [512, 2048, 8192] : [null];
  const most = mostDecoding(train);
  const rounded = roundBatches.find((size) => size >= most) ?? most;
  const batches = has(kind.batchSetting) ? [null] : [...new Set([Math.max(256, rounded), rounded])];
  return batches.flatMap((batch) =>
    budgets.map((tokens) => ({
      ...options,
      settings: {
        ...settings,
        ...(batch === null ? {} : { [kind.batchSetting]: batch }),
        ...(tokens === null ? {} : { [budget]: Math.max(tokens, batch ?? 0) }),
      },
    })),
  );
}

/** Batch sizes that people set. */
const roundBatches = [
  1, 2, 4, 8, 16, 24, 32, 48, 64, 80, 96, 100, 128, 160, 192, 200, 256, 320, 384, 400, 512, 768, 1024,
];

/** The most requests that were between their first and their last token at one moment. */
function mostDecoding(train: readonly TracedRequest[]): number {
  const events = train.flatMap(({ arrivalMs, ttftMs, latencyMs }) => [
    { atMs: arrivalMs + ttftMs, change: 1 },
    { atMs: arrivalMs + latencyMs, change: -1 },
  ]);
  let now = 0;
  let most = 1;
  for (const { change } of events.toSorted((a, b) => a.atMs - b.atMs || a.change - b.change)) {
    now += change;
    most = Math.max(most, now);
  }
  return most;
}

function search(
  lesson: Lesson,
  options: TraceFitOptions,
  start: readonly number[],
  iterations: number,
  width: number,
): Minimum {
  const residuals = (x: readonly number[]): number[] =>
    residualsOf(lesson.train, replay(profileOf(x, options, lesson.bounds), lesson.played));
  return leastSquares(residuals, start, { iterations, width });
}

function profileOf(x: readonly number[], { scheduler, settings, kv }: TraceFitOptions, bounds: Bounds): EngineProfile {
  const [aMs, cMs, p1Ms, kMs, overheadMs, mMs] = x.map((value) => Math.exp(value)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return {
    schema: 'llmdyno.engine-profile/1',
    name: 'fitted',
    title: 'fitted',
    model: 'fitted',
    source: 'dyno fit',
    date: '2026',
    cost: {
      aMs: Math.min(aMs, bounds.aMs),
      cMsPerDecode: cMs,
      p1MsPerPrefillToken: p1Ms,
      kMsPer1000KvTokens: kMs,
      mMsPerMillionAttention: mMs,
    },
    jitter: { stepSigma: 0 },
    maxBatchSize: Number(settings[schedulers[scheduler].batchSetting] ?? 256),
    maxPrefillTokens: null,
    kv,
    scheduler: { name: scheduler, settings },
    overheadMs: Math.min(overheadMs, bounds.overheadMs),
    notes: [],
  };
}

/** From the quickest requests: their time per token is about a, and what the first token takes beyond it is prefill. */
function startAt(train: readonly TracedRequest[], factors: readonly number[]): number[] {
  const tpots = train.flatMap((request) => request.tpotMs ?? []).toSorted((a, b) => a - b);
  const aMs = Math.max(1e-3, tpots[Math.floor(tpots.length * 0.05)] ?? 10) * 0.85;
  const median = tpots[Math.floor(tpots.length / 2)] ?? aMs;
  const perToken = train
    .map((request) => Math.max(0, request.ttftMs - aMs) / request.promptTokens)
    .toSorted((a, b) => a - b);
  const p1Ms = Math.max(0.001, perToken[Math.floor(perToken.length * 0.1)] ?? 0.05);
  const cMs = Math.max(0.005, (0.3 * (median - aMs)) / Math.max(1, meanInFlight(train)));
  return [aMs, cMs, p1Ms, 0.05, Math.max(0.5, 0.1 * aMs), 0.03].map((value, i) => Math.log(value * factors[i]!));
}

function meanInFlight(train: readonly TracedRequest[]): number {
  const busyMs = train.reduce((sum, request) => sum + request.latencyMs, 0);
  const spanMs = Math.max(...train.map((request) => request.arrivalMs + request.latencyMs));
  return busyMs / Math.max(1, spanMs);
}

/**
 * How far the replay is from the trace: request by request, bounded so that a few cannot rule, and in the figures that count.
 * Each request's part is weighed so that a metric counts the same however many requests there are.
 */
function residualsOf(train: readonly TracedRequest[], replayed: Replayed): number[] {
  const weight = 1 / Math.sqrt(train.length);
  const each = kinds.flatMap((kind) =>
    train.map((request, i) => {
      const truth = request[kind];
      const guess = replayed[kind][i]!;
      if (truth === null || !(truth > 0) || !(guess > 0)) return 0;
      const error = Math.log(guess / truth);
      const size = Math.abs(error);
      return weight * (size < mild ? error : Math.sign(error) * Math.sqrt(2 * mild * size - mild * mild));
    }),
  );
  return [...each, ...logRatios(train, replayed).map((ratio) => 0.5 * ratio)];
}

function logRatios(train: readonly TracedRequest[], replayed: Replayed): number[] {
  return kinds.flatMap((kind) => {
    const truth = distributionOf(train.flatMap((request) => request[kind] ?? []));
    const own = replayed[kind].subarray(0, train.length);
    const guess = distributionOf(own.filter((value) => !Number.isNaN(value)));
    return figures.map((figure) => Math.log((guess?.[figure] || 1) / (truth?.[figure] || 1)));
  });
}

/** Means and percentiles of the requests from number `from` on, measured and replayed. */
export function scoreTrace(
  all: readonly TracedRequest[],
  replayed: Replayed,
  from: number,
): Record<string, TraceMetric> {
  const entries = kinds.flatMap((kind) => {
    const truth = distributionOf(all.slice(from).flatMap((request) => request[kind] ?? []));
    const guess = distributionOf(replayed[kind].slice(from).filter((value) => !Number.isNaN(value)));
    return figures.flatMap((figure) => {
      const [measured, predicted] = [truth?.[figure] ?? null, guess?.[figure] ?? null];
      if (measured === null || predicted === null || measured === 0) return [];
      return [[`${kind}.${figure}`, { measured, predicted, error: predicted / measured - 1 }] as const];
    });
  });
  return Object.fromEntries(entries);
}

function tooShort(count: number): UserError {
  return new UserError({
    code: 'trace-too-short',
    message: { en: `${count} requests are too few to fit and to score`, zh: `${count} 个请求不足以拟合并评分` },
    hint: { en: 'Give at least 40, or a smaller --train.', zh: '请至少给出 40 个请求，或减小 --train。' },
    place: { flag: '--train' },
  });
}
