import { dimensionsOf, placesOf } from './dimensions.ts';
import type { DimensionValue } from './dimensions.ts';
import type { LoadState, Summary, Sweep } from './summary.ts';

/** What was asked of a point, by dimension; null = not said. */
export interface PointDocument {
  load: number | null;
  input: DimensionValue | null;
  output: DimensionValue | null;
  variant: string | null;
  settings: Readonly<Record<string, string>> | null;
  /** Which of several points that were asked the same, from 1. */
  repetition: number;
}

/** What share of the prompts' tokens came from a prefix cache, and who said so; null = nobody. */
export interface CacheDocument {
  hitRatio: number | null;
  /** What these prompts alone let an empty cache take. */
  eligibleRatio: number | null;
  /** usage: of the requests themselves; server: of all that the server was asked meanwhile, by its metrics. */
  source: 'server' | 'usage' | null;
}

/** A summary as other programs read it: what follows from several of its keys stands there as one. */
export interface SummaryDocument extends Summary {
  point: PointDocument;
  cache: CacheDocument;
  loadState: LoadState;
}

/** What share of the prompts' tokens a server took from its prefix cache; null where nobody said. */
export function cacheOf({
  cachedInputRatio,
  server,
}: Pick<Summary, 'cachedInputRatio' | 'server'>): { hits: number; by: 'server' | 'usage' } | null {
  if (cachedInputRatio !== null) return { hits: cachedInputRatio, by: 'usage' };
  const told = server?.['prefixHitRatio'];
  return typeof told === 'number' && Number.isFinite(told) ? { hits: told, by: 'server' } : null;
}

/** A point as other programs read it. */
export function summaryDocument(summary: Summary, repetition = 1): SummaryDocument {
  const asked = dimensionsOf(summary);
  const hits = cacheOf(summary);
  return {
    ...summary,
    point: {
      load: summary.load.ratePerSec ?? summary.load.concurrency,
      input: asked.get('input') ?? null,
      output: asked.get('output') ?? null,
      variant: summary.asked?.variant ?? null,
      settings: summary.asked?.settings ?? null,
      repetition,
    },
    cache: {
      hitRatio: hits?.hits ?? null,
      eligibleRatio: summary.eligibleInputRatio ?? null,
      source: hits?.by ?? null,
    },
    loadState: summary.flow?.state ?? 'unknown',
  };
}

/** A sweep as other programs read it: points that nothing else tells apart are counted. */
export function sweepDocument<T extends Pick<Sweep, 'points'>>(
  sweep: T,
): Omit<T, 'points'> & { points: SummaryDocument[] } {
  const places = placesOf(sweep.points);
  const repetition = (point: Summary): number => {
    const counted = places.of(point).get('repetition');
    return typeof counted === 'number' ? counted : 1;
  };
  return { ...sweep, points: sweep.points.map((point) => summaryDocument(point, repetition(point))) };
}
