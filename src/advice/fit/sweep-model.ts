import type { EngineProfile } from '../../engine/sim/index.ts';
import { kneeOf } from './choose-points.ts';
import type { FitPoint } from './fit-point.ts';

/** What keeps an engine from taking more at once: nothing that was seen, the batch size, or the KV cache. */
export type LimitKind = 'none' | 'batch' | 'kv';

/** A family of engines that may be behind a sweep: a step costs a + c per sequence, and something limits the batch. */
export interface SweepModel {
  limit: LimitKind;
  /** How likely this kind is before any point is seen; all kinds together 1. */
  share: number;
  /** Where the limit (sequences, or blocks) may lie; null = known or none, so that there is nothing to search. */
  limits: readonly [number, number] | null;
  /** How likely a limit is before any point is seen, up to a factor. */
  likelihood(limit: number): number;
  profile(aMs: number, cMsPerDecode: number, limit: number): EngineProfile;
}

/** Prefilling one prompt costs this many times c on top of the step's a. */
const prefillShare = 0.5;
/** vLLM's and MindIE's defaults. */
const blockSizes = [16, 128] as const;
/** Standard deviation of the logarithm of a batch size around the sweep's knee. */
const batchSpread = 0.2;
/** Batch sizes closer than this (logarithm) give runs that differ by less than runs of one engine do. */
const sameBatch = 0.025;
/** Contexts shorter than this do not fill a cache before they fill a batch. */
const leastContextTokens = 512;
/** Caches to try, as shares of what the sequences around the knee fill. */
const cacheShares = [0.4, 1.4] as const;

/** The models to try on a sweep. `maxBatchSize` and `kv` are what the user knows; null = to be inferred. */
export function sweepModels(
  points: readonly FitPoint[],
  known: { maxBatchSize: number | null; kv: EngineProfile['kv'] },
): SweepModel[] {
  const knee = kneeOf(points);
  const lowest = points[0]!;
  const unlimited = 4 * points.at(-1)!.concurrency;
  const plain = (aMs: number, cMs: number, maxBatchSize: number, kv: EngineProfile['kv']): EngineProfile => ({
    ...unnamed,
    cost: {
      aMs,
      cMsPerDecode: cMs,
      p1MsPerPrefillToken: (prefillShare * cMs) / lowest.inputTokens,
      kMsPer1000KvTokens: 0,
    },
    maxBatchSize,
    kv,
  });
  const fixed = (limit: LimitKind, maxBatchSize: number, kv: EngineProfile['kv']): SweepModel => ({
    limit,
    share: 1,
    limits: null,
    likelihood: () => 1,
    profile: (aMs, cMs) => plain(aMs, cMs, maxBatchSize, kv),
  });
  if (known.maxBatchSize !== null) return [fixed('batch', known.maxBatchSize, known.kv)];
  if (known.kv !== null) return [fixed('kv', unlimited, known.kv)];
  if (knee === points.length - 1) return [fixed('none', unlimited, null)];

  const [low, high] = [points[knee - 1]!.concurrency, points[knee]!.concurrency];
  const context = lowest.inputTokens + lowest.outputTokens;
  const mayFillCache = context >= leastContextTokens;
  const batch: SweepModel = {
    limit: 'batch',
    share: mayFillCache ? 0.5 : 1,
    // The knee has nine tenths of the greatest throughput, so that the batch may end before it or after it, up to the next point.
    limits: [low, points[knee + 1]!.concurrency],
    // People choose the concurrencies of a sweep with the server's batch size in mind.
    likelihood: (limit) => Math.exp(-0.5 * (Math.log(limit / high) / batchSpread) ** 2),
    profile: (aMs, cMs, limit) => plain(aMs, cMs, batchAt(limit, high), null),
  };
  if (!mayFillCache) return [batch];
  return [batch, ...blockSizes.map((blockSize) => kvModel(blockSize))];

  function kvModel(blockSize: number): SweepModel {
    const least = 2 * Math.ceil(context / blockSize);
    const middle = (context * (low + high)) / 2 / blockSize;
    return {
      limit: 'kv',
      share: 0.5 / blockSizes.length,
      limits: [Math.max(least, cacheShares[0] * middle), Math.max(2 * least, cacheShares[1] * middle)],
      likelihood: () => 1,
      profile: (aMs, cMs, limit) => plain(aMs, cMs, unlimited, { blocks: Math.round(limit), blockSize }),
    };
  }
}

/** A batch size that the points cannot tell from the knee is the knee: it was chosen, not drawn. */
function batchAt(value: number, knee: number): number {
  return Math.abs(Math.log(value / knee)) < sameBatch ? knee : Math.round(value);
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
