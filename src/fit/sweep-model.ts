import type { EngineProfile } from '../sim/index.ts';
import type { FitPoint } from './fit-point.ts';
import { kneeOf } from './choose-points.ts';

/** What keeps an engine from taking more at once: nothing that was seen, the batch size, or the KV cache. */
export type LimitKind = 'none' | 'batch' | 'kv';

/** A family of engines that a sweep can be fitted with; parameters are logarithms. */
export interface SweepModel {
  limit: LimitKind;
  /** One or more places to begin the search at. */
  starts: number[][];
  steps: number[];
  /** A pull towards what is likely before any point is seen, in units of a residual. */
  prior(parameters: readonly number[]): number;
  names: string[];
  profile(parameters: readonly number[]): EngineProfile;
}

/** Decoding one token of the batch costs c; prefilling one prompt costs this many times c on top of the step's a. */
const prefillShare = 0.5;
/** vLLM's and MindIE's defaults. */
const blockSizes = [16, 128] as const;
/** A batch size 10 % off the knee weighs as much as a residual of 3.5 %. */
const batchPull = 0.35;
/** Batch sizes closer than this (logarithm) give runs that differ by less than runs of one engine do. */
const sameBatch = 0.025;
/** Contexts shorter than this do not fill a cache before they fill a batch. */
const leastContextTokens = 512;

/** The models to try on a sweep. `maxBatchSize` and `kv` are what the user knows; null = to be inferred. */
export function sweepModels(
  points: readonly FitPoint[],
  used: readonly FitPoint[],
  known: { maxBatchSize: number | null; kv: EngineProfile['kv'] },
): SweepModel[] {
  const knee = kneeOf(points);
  const lowest = points[0]!;
  const start = firstGuess(used);
  const steps = [0.1, 0.2];
  const names = ['aMs', 'cMsPerDecode'];
  const cost = (parameters: readonly number[]): EngineProfile['cost'] => {
    const cMs = Math.exp(parameters[1]!);
    return {
      aMs: Math.exp(parameters[0]!),
      cMsPerDecode: cMs,
      p1MsPerPrefillToken: (prefillShare * cMs) / lowest.inputTokens,
      kMsPer1000KvTokens: 0,
    };
  };
  const plain = (parameters: readonly number[], maxBatchSize: number, kv: EngineProfile['kv']): EngineProfile => ({
    ...unnamed,
    cost: cost(parameters),
    maxBatchSize,
    kv,
  });
  const unlimited = 4 * points.at(-1)!.concurrency;
  if (known.maxBatchSize !== null || known.kv !== null) {
    const { maxBatchSize, kv } = known;
    const limit = maxBatchSize === null ? 'kv' : 'batch';
    return [
      { limit, starts: [start], steps, names, prior: () => 0, profile: (x) => plain(x, maxBatchSize ?? unlimited, kv) },
    ];
  }
  if (knee === points.length - 1) {
    return [
      { limit: 'none', starts: [start], steps, names, prior: () => 0, profile: (x) => plain(x, unlimited, null) },
    ];
  }
  const [low, high] = [points[knee - 1]!.concurrency, points[knee]!.concurrency];
  const highest = points[knee + 1]!.concurrency;
  const batch: SweepModel = {
    limit: 'batch',
    starts: [[...start, Math.log(high)]],
    steps: [...steps, -0.2],
    names: [...names, 'maxBatchSize'],
    // People choose the concurrencies of a sweep with the server's batch size in mind. The knee has nine tenths of the
    // greatest throughput, so that the batch may end before it or after it, up to the next point.
    prior: (x) => batchPull * Math.abs(Math.log(high / within(Math.exp(x[2]!), low, highest))),
    profile: (x) => plain(x, batchAt(within(Math.exp(x[2]!), low, highest), high), null),
  };
  const context = lowest.inputTokens + lowest.outputTokens;
  if (context < leastContextTokens) return [batch];
  return [batch, ...blockSizes.map((blockSize) => kvModel(blockSize))];

  function kvModel(blockSize: number): SweepModel {
    const least = 2 * Math.ceil(context / blockSize);
    const middle = (context * (low + high)) / 2 / blockSize;
    return {
      limit: 'kv',
      starts: [0.5, 0.65, 0.8, 0.95, 1.1, 1.3].map((part) => [...start, Math.log(part * middle)]),
      steps: [...steps, 0.1],
      names: [...names, 'kv.blocks'],
      prior: () => 0,
      profile: (x) => plain(x, unlimited, { blocks: Math.max(least, Math.round(Math.exp(x[2]!))), blockSize }),
    };
  }
}

/** log a and log c of the line through the time per token at the two lowest points. */
function firstGuess(used: readonly FitPoint[]): number[] {
  const [low, next] = [used[0]!, used[1]!];
  const tokenMs = (point: FitPoint): number => point.latencyMeanMs / point.outputTokens;
  const slope = (tokenMs(next) - tokenMs(low)) / (next.concurrency - low.concurrency);
  const cMs = Math.max(slope, tokenMs(low) / 1000);
  const aMs = Math.max(tokenMs(low) - cMs * low.concurrency, 0.2 * tokenMs(low));
  return [Math.log(aMs), Math.log(cMs)];
}

/** A batch size that the points cannot tell from the knee is the knee: it was chosen, not drawn. */
function batchAt(value: number, knee: number): number {
  return Math.abs(Math.log(value / knee)) < sameBatch ? knee : Math.round(value);
}

function within(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

const unnamed: EngineProfile = {
  schema: 'llmdyno.engine-profile/1',
  name: 'fitted',
  title: 'fitted',
  model: 'fitted',
  source: 'dyno fit',
  date: '2026',
  cost: { aMs: 1, cMsPerDecode: 0, p1MsPerPrefillToken: 0, kMsPer1000KvTokens: 0 },
  jitter: { stepSigma: 0 },
  maxBatchSize: 1,
  maxPrefillTokens: null,
  kv: null,
  notes: [],
};
